import Foundation
import Testing

@testable import AccountCommands

@Suite struct ShellWordTests {
    @Test(
        "a shell reads a quoted word as the word that it was",
        arguments: [
            "", "/usr/libexec/accountd", "a b", "it's", "''", "$(touch x)", "`id`", "a\\b", "*",
            "~",
            "#", "a;b&c|d", "\"", "-n", "\u{4E2D}\u{6587}", "%s", "!x", "a=b",
        ])
    func reads(_ word: String) throws {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "printf %s " + ShellWord.quoted(word)]
        process.standardOutput = output
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(String(decoding: text, as: UTF8.self) == word)
    }

    @Test("a plain path stays as it is")
    func plain() {
        let path = "/run/user/1000/account.d/a-b_c:1@x%"
        #expect(ShellWord.quoted(path) == path)
    }
}
