import Testing

@testable import AccountCommands

/// What the shells make of the scripts is tested in the shells: Tests/CommandLine.
@Suite struct CompletionTests {
    static let shells = CompletionCommand.description.operands.map(\.name)

    @Test("the script names every command, every option and every value", arguments: shells)
    func complete(_ shell: String) throws {
        let run = try CommandRun(["completion", shell])
        #expect(run.status == .done)
        #expect(run.errors.isEmpty)
        #expect(run.output.hasSuffix("\n"))
        // fish is told the long options without their dashes.
        let words = Set(
            run.output.split { !$0.isLetter && !$0.isNumber && $0 != "-" }.map { word in
                String(word.drop { $0 == "-" })
            })
        for command in Command.allCases {
            #expect(words.contains(command.name))
            for option in command.description.options + GlobalOptions.all {
                #expect(words.contains(String(option.name.dropFirst(2))), "\(option.name)")
                for word in option.words { #expect(run.output.contains(word.name)) }
            }
        }
    }

    @Test("a script runs no program of ours", arguments: shells)
    func quiet(_ shell: String) throws {
        for line in try CommandRun(["completion", shell]).output.split(separator: "\n") {
            let code = line.drop { $0 == " " }
            #expect(!code.hasPrefix("account "), "\(line)")
            #expect(!line.contains("$(account"), "\(line)")
            #expect(!line.contains("`") || code.hasPrefix("#"), "\(line)")
        }
    }

    @Test(
        "a shell that is not known, or none, is refused",
        arguments: [
            (["completion"], "completion needs the name of a shell"),
            (["completion", "tcsh"], "completion knows no shell 'tcsh'"),
            (["completion", ""], "completion knows no shell ''"),
        ])
    func refuses(_ words: [String], _ message: String) throws {
        let run = try CommandRun(words)
        #expect(run.status == .usage)
        #expect(run.output.isEmpty)
        #expect(run.errors == "account: \(message)\nhint: the shells are bash, zsh and fish\n")
    }

    @Test("a word too many, or an option that is not there, is refused")
    func tooMuch() throws {
        #expect(try CommandRun(["completion", "bash", "zsh"]).status == .usage)
        let run = try CommandRun(["completion", "--bash"])
        #expect(run.status == .usage)
        #expect(run.errors.hasPrefix("account: completion has no option --bash\n"))
    }

    @Test(
        "what an option does can be said on one line",
        arguments: Command.allCases.flatMap(\.description.options) + GlobalOptions.all)
    func summary(_ option: CommandOption) {
        #expect(!option.summary.isEmpty)
        #expect(!option.summary.contains("\n"))
        #expect(option.help.hasPrefix(option.summary.prefix(10)))
    }
}
