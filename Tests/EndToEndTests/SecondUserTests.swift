import Foundation
import Testing

/// Other users of the machine, with uids that stand in no file: nothing of them is looked up.
@Suite(.needsPrograms, .needsRoot, .needs("setpriv"), .timeLimit(.minutes(1)))
struct SecondUserTests {
    /// Whose daemon it is.
    private static let owner = 61_001
    /// Somebody else.
    private static let other = 61_002
    private static let readers = 61_003
    private static let observers = 61_004

    private static func prefix(_ uid: Int, groups: [Int] = []) -> [String] {
        let list =
            groups.isEmpty
            ? "--clear-groups" : "--groups=" + groups.map(String.init).joined(separator: ",")
        return ["setpriv", "--reuid=\(uid)", "--regid=\(uid)", list, "--"]
    }

    /// A home of the owner's, with programs and a socket that everybody can reach.
    private func with(_ body: (Home, String) throws -> Void) throws {
        try Home.with { home in
            try home.giveAway(to: Self.owner)
            let place = home.path + "/public"
            try home.makeFolder(place)
            try give(place, to: Self.owner, mode: 0o755)
            home.prefix = Self.prefix(Self.owner)
            try body(home, place + "/socket")
        }
    }

    private func give(_ path: String, to uid: Int, mode: Int) throws {
        try FileManager.default.setAttributes(
            [.posixPermissions: mode, .ownerAccountID: uid, .groupOwnerAccountID: uid],
            ofItemAtPath: path)
    }

    @Test("another user is refused with exit 6 and a clear message, whatever they ask")
    func stranger() throws {
        try with { home, socket in
            let log = home.path + "/log"
            try home.startDaemon(["--socket", socket, "--verbose"], errors: log)
            #expect(
                try home.account("login", "--socket", socket, input: TokenText.response()).status
                    == 0)
            home.prefix = Self.prefix(Self.other)
            for words in [
                ["token"], ["header"], ["show"], ["check"], ["expires"], ["status"], ["logout"],
                ["doctor"], ["doctor", "--repair"],
            ] {
                let result = try home.run(
                    [home.programs + "/account"] + words + ["--socket", socket])
                #expect(result.status == 6)
                #expect(
                    result.errors == """
                        account: the daemon does not permit this to you
                        hint: account status shows your role, if the owner has given you one with \
                        accountd --readers

                        """)
                #expect(!result.output.contains(TokenText.token))
            }
            home.prefix = Self.prefix(Self.owner)
            #expect(
                try home.account("token", "--socket", socket).output == TokenText.token + "\n")
            #expect(
                ProcessTable.wait {
                    let said = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
                    return said.contains("access: uid=\(Self.other) ")
                        && said.contains("verdict=denied")
                })
        }
    }

    @Test("a response is not sent to a daemon of another user")
    func foreignServer() throws {
        try with { home, socket in
            let log = home.path + "/log"
            try home.startDaemon(["--socket", socket, "--verbose"], errors: log)
            home.prefix = Self.prefix(Self.other)
            let result = try home.account(
                "login", "--socket", socket, input: TokenText.response())
            #expect(result.status == 6)
            #expect(
                result.errors == """
                    account: \(socket) is served by uid \(Self.owner), neither you nor root
                    hint: a token is sent to your own daemon, root's or the system's alone; uid \(Self.owner) may log in there

                    """)
            // Not a byte came: a connection that sends nothing makes no record.
            home.prefix = Self.prefix(Self.owner)
            #expect(try home.account("status", "--socket", socket).status == 0)
            #expect(
                ProcessTable.wait {
                    ((try? String(contentsOfFile: log, encoding: .utf8)) ?? "")
                        .contains("GetStatus verdict=answered")
                })
            let said = try String(contentsOfFile: log, encoding: .utf8)
            #expect(!said.contains("uid=\(Self.other)"))
        }
    }

    @Test(
        "a socket of another user's at a usual place is not even asked", arguments: [true, false])
    func trap(_ isInRuntimeDirectory: Bool) throws {
        try with { home, _ in
            // Somebody else has made a socket where the victim's daemon would listen.
            let run = home.path + "/run"
            try home.makeFolder(run + "/account")
            try give(run, to: isInRuntimeDirectory ? Self.owner : Self.other, mode: 0o755)
            try give(run + "/account", to: Self.other, mode: 0o755)
            let trap = run + "/account/socket"
            home.prefix = Self.prefix(Self.other)
            try home.startDaemon([
                "--socket", trap, "--state", run + "/account/state", "--key-file",
                run + "/account/key",
            ])
            home.prefix = Self.prefix(Self.owner)
            let place =
                isInRuntimeDirectory
                ? ["XDG_RUNTIME_DIR": run, "ACCOUNT_STATE_DIR": ""]
                : ["ACCOUNT_STATE_DIR": run + "/account"]
            for words in [["token"], ["login"], ["status"]] {
                let result = try home.run(
                    [home.programs + "/account"] + words, input: Array(TokenText.response().utf8),
                    adding: place)
                #expect(result.status == 6)
                #expect(
                    result.errors.hasPrefix(
                        "account: \(trap) is served by uid \(Self.other), neither you nor root\n"))
            }
        }
    }

    @Test("members of the groups get just their methods")
    func groups() throws {
        try with { home, socket in
            try home.startDaemon([
                "--socket", socket, "--readers", "\(Self.readers)", "--observers",
                "\(Self.observers)",
            ])
            #expect(
                try home.account("login", "--socket", socket, input: TokenText.response()).status
                    == 0)
            let permitted = [
                Self.readers: ["token", "header", "show", "check", "expires", "status"],
                Self.observers: ["check", "expires", "status"],
            ]
            for (group, permitted) in permitted {
                home.prefix = Self.prefix(Self.other, groups: [group])
                for word in [
                    "token", "header", "show", "check", "expires", "status", "logout", "doctor",
                ] {
                    let result = try home.account(word, "--socket", socket)
                    let isPermitted = permitted.contains(word)
                    #expect(result.status == (isPermitted ? 0 : 6), "\(word) in \(group)")
                    if !isPermitted {
                        #expect(
                            result.errorLines.first
                                == "account: the daemon does not permit this to you")
                    }
                }
                let status = try home.account("status", "--json", "--socket", socket)
                let role = group == Self.readers ? "reader" : "observer"
                #expect(status.output.contains(#""role":"\#(role)""#))
                // And nobody but the owner is handed a token.
                let login = try home.account(
                    "login", "--socket", socket, input: TokenText.response(TokenText.other))
                #expect(login.status == 6)
            }
            home.prefix = []
            #expect(
                try home.account("token", "--socket", socket).output == TokenText.token + "\n")
        }
    }

    @Test("a group of somebody whose primary group it is counts too, and the overflow ids never do")
    func primaryGroup() throws {
        try with { home, socket in
            try home.startDaemon([
                "--socket", socket, "--readers", "\(Self.other)", "--observers", "65534",
            ])
            home.prefix = Self.prefix(Self.other)
            #expect(try home.account("token", "--socket", socket).status == 3)
            home.prefix = Self.prefix(65_534)
            #expect(try home.account("check", "--socket", socket).status == 6)
        }
    }

    @Test("root may ask another user's daemon, and starts none on another user's store")
    func root() throws {
        try with { home, socket in
            home.prefix = []
            let result = try home.account(
                "token", adding: ["ACCOUNT_STATE_DIR": home.path + "/state"])
            #expect(result.status == 5)
            #expect(
                result.errors == """
                    account: no daemon runs, and the store at \(home.path)/state is not yours
                    hint: use --system, or name your own store with --state DIR

                    """)
            home.prefix = Self.prefix(Self.owner)
            try home.startDaemon(["--socket", socket])
            home.prefix = []
            #expect(try home.account("token", "--socket", socket).status == 3)
        }
    }

    @Test("a socket that may not be reached is exit 6")
    func unreachable() throws {
        try with { home, _ in
            try home.startDaemon()
            home.prefix = Self.prefix(Self.other)
            let result = try home.account("token", "--socket", home.socket)
            #expect(result.status == 6)
            #expect(
                result.errors == """
                    account: you may not connect to \(home.socket)
                    hint: its owner can let you, with the group given to accountd --readers

                    """)
        }
    }

    @Test("a state directory of another user, or open to others, is refused and named")
    func stateDirectory() throws {
        try with { home, _ in
            #expect(try home.run(["mkdir", "-p", home.state]).status == 0)
            let cases: [(uid: Int, mode: Int, why: String)] = [
                (Self.other, 0o700, "belongs to uid \(Self.other)"),
                (0, 0o700, "belongs to uid 0"),
                (Self.owner, 0o770, "has mode 0770, which lets others in; 0700 is wanted"),
                (Self.owner, 0o702, "has mode 0702, which lets others in; 0700 is wanted"),
                (Self.owner, 0o1777, "has mode 01777, which lets others in; 0700 is wanted"),
            ]
            for entry in cases {
                try give(home.state, to: entry.uid, mode: entry.mode)
                let daemon = try home.run([home.programs + "/accountd"])
                #expect(daemon.status == 1)
                let canBeOpened = entry.uid == Self.owner || entry.mode & 0o007 != 0
                let expected =
                    canBeOpened
                    ? "accountd: the state directory cannot be used: \(home.state) \(entry.why)\n"
                    : "accountd: the state directory cannot be used: \(home.state)"
                #expect(daemon.errors.hasPrefix(expected))
                let login = try home.account("login", input: TokenText.response())
                #expect(login.status == (canBeOpened ? 5 : 6))
                #expect(login.errors.contains(home.state))
                #expect(!FileManager.default.fileExists(atPath: home.account))
            }
            // Root's daemon sees more, and refuses for the same reasons.
            home.prefix = []
            try give(home.state, to: Self.other, mode: 0o700)
            let daemon = try home.run([home.programs + "/accountd"])
            #expect(
                daemon.errors == "accountd: the state directory cannot be used: \(home.state) "
                    + "belongs to uid \(Self.other)\n")
        }
    }

    @Test("a link to a directory is refused as a state directory, whoever made it")
    func link() throws {
        try with { home, _ in
            let real = home.path + "/real"
            try home.makeFolder(real)
            try give(real, to: Self.owner, mode: 0o700)
            try FileManager.default.createSymbolicLink(
                atPath: home.path + "/link", withDestinationPath: real)
            for end in ["", "/"] {
                let daemon = try home.run([
                    home.programs + "/accountd", "--state", home.path + "/link" + end,
                ])
                #expect(daemon.status == 1)
                #expect(
                    daemon.errors == "accountd: the state directory cannot be used: "
                        + "\(home.path)/link is a symbolic link\n")
            }
        }
    }
}
