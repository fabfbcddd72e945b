import Testing

@testable import AccountDaemon

@Suite struct DaemonOptionsTests {
    private static func options(_ change: (inout DaemonOptions) -> Void) -> DaemonOptions? {
        guard var options = try? DaemonOptions([]) else { return nil }
        change(&options)
        return options
    }

    static let good: [([String], DaemonOptions?)] = [
        ([], options { _ in }),
        (["--socket", "/s"], options { $0.socket = "/s" }),
        (["--socket=/s"], options { $0.socket = "/s" }),
        (["--socket=\u{301}a"], options { $0.socket = "\u{301}a" }),
        (["--socket=a=b"], options { $0.socket = "a=b" }),
        (["--socket", "/a", "--socket", "/b"], options { $0.socket = "/b" }),
        (
            ["--state", "d", "--key-file=k"],
            options {
                $0.state = "d"; $0.keyFile = "k"
            }
        ),
        (["--secret-memory", "auto"], options { _ in }),
        (["--secret-memory=memfd"], options { $0.secretMemory = .memfd }),
        (["--secret-memory", "locked"], options { $0.secretMemory = .locked }),
        (["--require-locked-memory"], options { $0.requiresLockedMemory = true }),
        (
            ["--readers", "r", "--observers", "7"],
            options {
                $0.readers = "r"; $0.observers = "7"
            }
        ),
        (["--lock-after-idle", "15m"], options { $0.lockAfterIdle = 900 }),
        (["--lock-after=8h"], options { $0.lockAfter = 28_800 }),
        (
            ["--lock-after", "1", "--lock-after-idle", "90s", "--lock-after", "2d"],
            options {
                $0.lockAfterIdle = 90; $0.lockAfter = 172_800
            }
        ),
        (["--verbose"], options { $0.isVerbose = true }),
        (["--ready-fd", "3"], options { $0.readyDescriptor = 3 }),
        (["--help"], options { $0.request = .help }), (["-h"], options { $0.request = .help }),
        (["--version"], options { $0.request = .version }),
        (["--version", "--help"], options { $0.request = .help }),
    ]

    @Test("options are read in any order, the last one counts", arguments: good)
    func reads(arguments: [String], options: DaemonOptions?) throws {
        #expect(try DaemonOptions(arguments) == options)
    }

    static let bad: [([String], String)] = [
        (["--socket"], "--socket needs a value"), (["--socket="], "--socket needs a value"),
        (["--socket", ""], "--socket needs a value"), (["--state"], "--state needs a value"),
        (["--key-file"], "--key-file needs a value"), (["--readers="], "--readers needs a value"),
        (["--observers"], "--observers needs a value"),
        (["--secret-memory"], "--secret-memory needs a value"),
        (
            ["--secret-memory", "swap"], "--secret-memory is auto, memfd or locked, not swap"
        ),
        (["--lock-after"], "--lock-after needs a value"),
        (["--lock-after", "0"], "--lock-after is a duration like 10m or 6h, not 0"),
        (["--lock-after", "-1"], "--lock-after is a duration like 10m or 6h, not -1"),
        (["--lock-after", "0h"], "--lock-after is a duration like 10m or 6h, not 0h"),
        (
            ["--lock-after-idle", "soon"],
            "--lock-after-idle is a duration like 10m or 6h, not soon"
        ),
        (
            ["--lock-after-idle", "9223372036854775807d"],
            "--lock-after-idle is a duration like 10m or 6h, not 9223372036854775807d"
        ),
        (["--ready-fd", "2"], "--ready-fd is a descriptor above 2, not 2"),
        (["--ready-fd", "-1"], "--ready-fd is a descriptor above 2, not -1"),
        (["--ready-fd", "x"], "--ready-fd is a descriptor above 2, not x"),
        (["--ready-fd", "99999999999"], "--ready-fd is a descriptor above 2, not 99999999999"),
        (["--nope"], "--nope is not an option of accountd"),
        (["--nope=1"], "--nope takes no value, or is unknown"),
        (["--verbose=1"], "--verbose takes no value, or is unknown"),
        (["--help=x"], "--help takes no value, or is unknown"),
        (["file"], "file is not an option of accountd"), ([""], " is not an option of accountd"),
        (["-x"], "-x is not an option of accountd"), (["--"], "-- is not an option of accountd"),
        (["--verbose", "--socket"], "--socket needs a value"),
    ]

    @Test("what is no option is named", arguments: bad)
    func refuses(arguments: [String], message: String) {
        do throws(StartError) {
            _ = try DaemonOptions(arguments)
            Issue.record("they were read")
        } catch {
            #expect(error.message == message)
            guard case .usage = error else {
                Issue.record("not a mistake of usage")
                return
            }
        }
    }

    @Test("the help names every option")
    func help() {
        for name in [
            "--socket", "--state", "--key-file", "--secret-memory", "--require-locked-memory",
            "--readers", "--observers", "--verbose", "--ready-fd", "--help", "--version",
        ] {
            #expect(DaemonOptions.help.contains(name))
        }
        #expect(DaemonOptions.help.split(separator: "\n").allSatisfy { $0.utf8.count <= 100 })
    }
}
