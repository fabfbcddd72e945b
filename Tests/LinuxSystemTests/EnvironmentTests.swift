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

    @Test("the home directory is HOME if that is a path from the root, else the user's own")
    func home() async {
        await #expect(processExitsWith: .success) {
            Environment.set("HOME", to: "/somewhere")
            try #require(Users.homeDirectory() == "/somewhere")
            Environment.set("HOME", to: "relative")
            let own = Users.homeDirectory()
            Environment.unset("HOME")
            try #require(Users.homeDirectory() == own)
            try #require(own != "relative")
            if geteuid() == 0 { try #require(own == "/root") }
        }
    }
}
