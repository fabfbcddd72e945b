import Glibc
import LinuxSystem
import Testing

@Suite struct EnvironmentTests {
    @Test("a variable that is unset, empty or not UTF-8 has no value")
    func values() async {
        await #expect(processExitsWith: .success) {
            Environment.set("A_TEST", to: "账户 = x")
            try #require(Environment.value("A_TEST") == "账户 = x")
            try #require(Environment.all().contains("A_TEST=账户 = x"))
            Environment.set("A_TEST", to: "")
            try #require(Environment.value("A_TEST") == nil)
            try #require(unsafe setenv("A_TEST", [CChar(bitPattern: 0xFF), 0], 1) == 0)
            try #require(Environment.value("A_TEST") == nil)
            Environment.unset("A_TEST")
            try #require(Environment.value("A_TEST") == nil)
            try #require(!Environment.all().contains { $0.hasPrefix("A_TEST=") })
        }
    }

    @Test("a variable that names a place has a value only from the root on")
    func places() async {
        await #expect(processExitsWith: .success) {
            Environment.set("A_PLACE", to: "/somewhere")
            try #require(Environment.absolutePath("A_PLACE") == "/somewhere")
            for value in ["relative", "./x", ""] {
                Environment.set("A_PLACE", to: value)
                try #require(Environment.absolutePath("A_PLACE") == nil)
            }
        }
    }

    @Test("a variable that says where something is must be UTF-8, and is never taken for unset")
    func paths() async {
        await #expect(processExitsWith: .success) {
            Environment.set("A_TEST", to: "/账户")
            try #require(Environment.path("A_TEST") == "/账户")
            Environment.set("A_TEST", to: "")
            try #require(Environment.path("A_TEST") == nil)
            Environment.unset("A_TEST")
            try #require(Environment.path("A_TEST") == nil)
            try #require(unsafe setenv("A_TEST", [0x2F, CChar(bitPattern: 0xFF), 0], 1) == 0)
            #expect(throws: NotUTF8(what: "A_TEST")) { try Environment.path("A_TEST") }
        }
    }

    @Test("a runtime directory counts if it is a directory of this user's")
    func runtimeDirectory() async throws {
        let folder = try TemporaryFolder()
        await #expect(processExitsWith: .success) { [place = folder.path as String] in
            func found(_ value: String) throws -> String? {
                Environment.set("XDG_RUNTIME_DIR", to: value)
                return try Users.runtimeDirectory()
            }
            try #require(unsafe mkdir(place + "/own", 0o700) == 0)
            try #require(unsafe mkdir(place + "/theirs", 0o755) == 0)
            try #require(unsafe symlink("own", place + "/link") == 0)
            try #require(unsafe symlink("nowhere", place + "/dangling") == 0)
            try #require(found(place + "/own") == place + "/own")
            try #require(found(place + "/link") == place + "/link")
            try #require(unsafe chdir(place) == 0)
            for name in ["", "own", place + "/missing", place + "/dangling", "/dev/null"] {
                try #require(found(name) == nil, "\(name)")
            }
            if geteuid() == 0 {
                try #require(unsafe chown(place + "/theirs", 65_500, 65_500) == 0)
                try #require(found(place + "/theirs") == nil)
            } else {
                try #require(found("/") == nil)
            }
        }
    }

    @Test("the process's words are those that it was started with")
    func arguments() throws {
        #expect(ProcessArguments.count == CommandLine.arguments.count)
        #expect(try ProcessArguments.all() == Array(CommandLine.arguments.dropFirst()))
    }

    @Test("the home directory is HOME if that is a path from the root, else the user's own")
    func home() async {
        await #expect(processExitsWith: .success) {
            Environment.set("HOME", to: "/somewhere")
            try #require(Users.homeDirectory() == "/somewhere")
            Environment.set("HOME", to: "relative")
            let own = try Users.homeDirectory()
            Environment.unset("HOME")
            try #require(Users.homeDirectory() == own)
            try #require(own != "relative")
            if geteuid() == 0 { try #require(own == "/root") }
            try #require(unsafe setenv("HOME", [0x2F, CChar(bitPattern: 0xFF), 0], 1) == 0)
            #expect(throws: NotUTF8(what: "HOME")) { try Users.homeDirectory() }
        }
    }
}
