import Glibc
import LinuxSystem
import Testing

@testable import AccountDaemon

/// Where the store, its key and its socket are. docs/FORMAT.md, "Files"
@Suite struct StorePathsTests {
    struct Case: Sendable {
        var environment: [String: String] = [:]
        var arguments: [String] = []
        var isPassed = false
        var state = "/home/me/.local/state/account"
        var key = "/home/me/.config/account/key"
        var isDefaultKey = true
        var socket: String? = "/home/me/.local/state/account/socket"
    }

    static let names = [
        "HOME", "ACCOUNT_STATE_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR",
        "STATE_DIRECTORY",
    ]

    /// A directory of whoever runs this, whatever it is called: a process's own is there for all.
    static let mine = "/proc/self/task"

    static let cases: [Case] = [
        Case(),
        Case(
            environment: ["XDG_STATE_HOME": "/x"], state: "/x/account", socket: "/x/account/socket"),
        Case(environment: ["XDG_CONFIG_HOME": "/c"], key: "/c/account/key"),
        Case(environment: ["XDG_RUNTIME_DIR": mine], socket: mine + "/account/socket"),
        Case(environment: ["XDG_RUNTIME_DIR": mine + "//"], socket: mine + "/account/socket"),
        // After the end of a login session it is gone, and after `su` it is another user's.
        Case(environment: ["XDG_RUNTIME_DIR": "/nonexistent/run"]),
        Case(environment: ["XDG_RUNTIME_DIR": "/proc/self/status"]),
        Case(
            environment: ["ACCOUNT_STATE_DIR": "/a", "XDG_STATE_HOME": "/x"], state: "/a",
            socket: "/a/socket"),
        Case(
            environment: ["ACCOUNT_STATE_DIR": "/a"], arguments: ["--state", "/s"], state: "/s",
            socket: "/s/socket"),
        Case(
            environment: ["XDG_RUNTIME_DIR": mine], arguments: ["--socket", "/t/sock"],
            socket: "/t/sock"),
        Case(arguments: ["--key-file", "/k"], key: "/k", isDefaultKey: false),
        Case(arguments: ["--state", "/s///"], state: "/s", socket: "/s/socket"),
        // Relative to where the daemon was started.
        Case(
            arguments: ["--state", "s", "--key-file", "k", "--socket", "t"], state: "/tmp/s",
            key: "/tmp/k", isDefaultKey: false, socket: "/tmp/t"),
        Case(
            environment: ["ACCOUNT_STATE_DIR": "rel"], state: "/tmp/rel", socket: "/tmp/rel/socket"),
        // The specification has relative ones ignored, and empty ones are as good as none.
        Case(environment: ["XDG_STATE_HOME": "x", "XDG_CONFIG_HOME": "c", "XDG_RUNTIME_DIR": "r"]),
        Case(environment: ["XDG_STATE_HOME": "", "ACCOUNT_STATE_DIR": "", "XDG_RUNTIME_DIR": ""]),
        // A service that runs the client exports its own.
        Case(environment: ["STATE_DIRECTORY": "/var/lib/other"]),
        Case(environment: ["XDG_RUNTIME_DIR": mine], isPassed: true, socket: nil),
        Case(arguments: ["--socket", "/t"], isPassed: true, socket: nil),
    ]

    // In a process of its own, whose environment is nobody else's.
    @Test("paths follow from options, then the environment, then the home directory")
    func paths() async {
        await #expect(processExitsWith: .success) {
            chdirToTemporary()
            for one in StorePathsTests.cases {
                for name in StorePathsTests.names { Environment.unset(name) }
                Environment.set("HOME", to: "/home/me")
                for (name, value) in one.environment { Environment.set(name, to: value) }
                let options = try DaemonOptions(one.arguments)
                let paths = try StorePaths(options, socketIsPassed: one.isPassed)
                #expect(paths.state == one.state, "\(one)")
                #expect(paths.keyFile.path == one.key, "\(one)")
                #expect(paths.keyFile.isDefault == one.isDefaultKey, "\(one)")
                #expect(paths.socket == one.socket, "\(one)")
            }
        }
    }

    @Test("a variable that is not UTF-8 is refused by name", arguments: names.dropLast())
    func notUTF8(_ name: String) async {
        await #expect(processExitsWith: .success) { [name = name as String] in
            for other in StorePathsTests.names { Environment.unset(other) }
            Environment.set("HOME", to: "/home/me")
            // SAFETY: both are ended by NUL.
            unsafe setenv(name, [0x2F, CChar(bitPattern: 0xFF), 0], 1)
            let options = try DaemonOptions([])
            do throws(StartError) {
                _ = try StorePaths(options, socketIsPassed: false)
                exit(1)
            } catch { #expect(error.message == "\(name) is not UTF-8, as paths have to be") }
        }
    }
}

private func chdirToTemporary() {
    // SAFETY: the path is part of the program.
    unsafe chdir("/tmp")
}
