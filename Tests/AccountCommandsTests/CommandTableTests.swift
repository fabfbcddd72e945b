import Testing

@testable import AccountCommands

/// The table of commands and options against what really reads the command line.
@Suite struct CommandTableTests {
    private static let nobody = ["--socket", "/nonexistent/socket"]
    private static let own = Command.allCases.flatMap(\.description.options)

    // A value that the option takes.
    private static func words(_ option: CommandOption) -> [String] {
        switch option.value {
        case .none: [option.name]
        // Standard input: others are the test's own.
        case .text where option.name == "--passphrase-fd": [option.name, "0"]
        case .text: [option.name, "1"]
        case .file: [option.name, "/dev/null"]
        case .directory: [option.name, "/"]
        case .word: [option.name, option.words.first?.name ?? ""]
        }
    }

    // What has to stand beside the option.
    private static func operands(_ command: Command, _ option: CommandOption) -> [String] {
        switch (command, option.name) {
        case (.completion, _): ["bash"]
        case (.importFile, "--json"): ["/dev/null", "--dry-run"]
        case (.importFile, _): ["/dev/null"]
        case (.exportFile, "--output"): ["--i-understand"]
        case (.exportFile, "--i-understand"): ["--output", "-"]
        case (.exportFile, "--class-name"):
            ["--i-understand", "--output", "-", "--format", "nskeyedarchiver"]
        case (.exportFile, _): ["--i-understand", "--output", "-"]
        case (.key, "--keep-keyfile"): ["add", "passphrase", "--passphrase-file", "/dev/null"]
        case (.key, "--passphrase-fd"), (.key, "--passphrase-file"): ["add", "passphrase"]
        case (.key, "--no-rotate"): ["remove", "00"]
        case (.key, "--code-file"): ["recovery"]
        case (.key, _): ["list"]
        case (.archive, "--raw"), (.archive, "--output"), (.archive, "--previous"): ["get", "a"]
        case (.archive, "--force"): ["get", "a", "--output", "/dev/null"]
        case (.archive, "--as"), (.archive, "--key"), (.archive, "--dry-run"):
            ["import", "/dev/null", "--as", "a"]
        case (.archive, _): ["list"]
        case (.draft, "--title"), (.draft, "--text"), (.draft, "--picture"):
            ["add", "--title", "a"]
        case (.draft, "--no-pictures"), (.draft, "--original-photo"),
            (.draft, "--no-original-photo"):
            ["edit", "1"]
        case (.draft, "--output"): ["export", "1"]
        case (.draft, "--dry-run"), (.draft, "--key"): ["import", "/dev/null"]
        case (.draft, _): ["list"]
        default: []
        }
    }

    @Test("a command takes each option that its help names, with a value as the help says")
    func takes() throws {
        for command in Command.allCases {
            for option in command.description.options + GlobalOptions.all {
                let words = option.name == "--socket" ? [] : Self.words(option)
                let operands = Self.operands(command, option)
                let run = try CommandRun([command.name] + operands + words + Self.nobody)
                if option.name == "--system" {
                    #expect(run.errors.hasPrefix("account: --socket and --system exclude"))
                } else {
                    #expect(run.status != .usage, "\(command) \(option.name): \(run.errors)")
                }
            }
        }
    }

    @Test("a command takes no option that its help does not name")
    func refuses() throws {
        let names = Set(Self.own.map(\.name)).union(["--frob", "-j"])
        for command in Command.allCases {
            let known = command.description.options.map(\.name)
            for name in names where !known.contains(name) {
                let run = try CommandRun([command.name, name] + Self.nobody)
                #expect(run.status == .usage)
                #expect(run.errors.hasPrefix("account: \(command.name) has no option \(name)\n"))
            }
        }
    }

    @Test("an option without a value refuses one, and one with a value wants it")
    func values() throws {
        for command in Command.allCases {
            for option in command.description.options {
                let joined = try CommandRun([command.name, option.name + "=1"] + Self.nobody)
                #expect(joined.errors.hasSuffix("takes no value\n") == (option.value == .none))
                // The socket stands first, so that it is no value; without it a daemon would start.
                let bare = try CommandRun(Self.nobody + [command.name, option.name])
                #expect(bare.errors.hasSuffix("needs a value\n") == (option.value != .none))
            }
        }
    }

    @Test("each word that an option is said to take is taken, and no other")
    func formats() throws {
        let choices = Command.allCases.flatMap { command in
            command.description.options.filter { $0.value == .word }.map { (command, $0) }
        }
        #expect(choices.count == 3)
        for (command, option) in choices {
            for word in option.words {
                let words = Self.operands(command, option) + [option.name, word.name]
                let run = try CommandRun([command.name] + words + Self.nobody)
                #expect(run.status == .noDaemon)
            }
            #expect(try CommandRun([command.name, option.name, "x"]).status == .usage)
        }
    }

    @Test("options that are said to exclude each other do")
    func rivals() throws {
        for command in Command.allCases {
            let all = command.description.options + GlobalOptions.all
            for option in all where !option.rival.isEmpty {
                let rival = try #require(all.first { $0.name == option.rival })
                #expect(rival.rival == option.name)
                let run = try CommandRun([command.name] + Self.words(option) + Self.words(rival))
                #expect(run.status == .usage)
                #expect(run.errors.hasSuffix(" exclude each other\n"))
            }
        }
    }

    @Test("an option of one name has a value with every command or with none")
    func oneMeaning() {
        for option in Self.own {
            let same = Self.own.filter { $0.name == option.name }
            #expect(same.allSatisfy { ($0.value == .none) == (option.value == .none) })
            #expect(!GlobalOptions.all.contains { $0.name == option.name })
        }
    }

    @Test("every command is found by its name and listed once")
    func commands() {
        for command in Command.allCases { #expect(Command.named(command.name) == command) }
        #expect(Command.named("frob") == nil)
        #expect(Command.listed.count == Command.allCases.count)
        #expect(Set(Command.listed) == Set(Command.allCases))
    }

    @Test("every command says the program's version", arguments: Command.allCases)
    func version(_ command: Command) throws {
        let run = try CommandRun([command.name, "--version", "--no-such-option"])
        #expect(run.status == .done)
        #expect(run.output == "account \(AccountCommand.version)\n")
    }
}
