import Foundation
import Testing

@testable import AccountCommands

@Suite struct KeyTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func daemon(but others: [String: String] = [:]) throws -> FakeDaemon {
        try FakeDaemon(
            FakeDaemon.present(but: FakeDaemon.keys).merging(others) { _, other in other })
    }

    @Test("the slots are listed in columns")
    func list() throws {
        let daemon = try daemon()
        let run = try CommandRun(["key", "list", "--socket", daemon.socket])
        #expect(run.status == .done)
        #expect(
            run.output == """
                ID                KIND        CREATED
                00112233445566ff  passphrase  2026-01-01T00:00:00Z

                Earlier master keys that some file is still sealed by: 1.

                """)
    }

    @Test("the slots as JSON have the daemon's names")
    func listJSON() throws {
        let daemon = try daemon()
        let run = try CommandRun(["key", "--json", "list", "--socket", daemon.socket])
        #expect(
            run.output
                == #"{"slots":[\#(FakeDaemon.slot)],"key_id":"00ff","retired":["01"]}"# + "\n")
        let empty = #"{"parameters":{"slots":[],"retired":[]}}"#
        let other = try self.daemon(but: ["ListSlots": empty])
        let none = try CommandRun(["key", "list", "--json", "--socket", other.socket])
        #expect(none.output == #"{"slots":[],"key_id":null,"retired":[]}"# + "\n")
    }

    @Test(
        "each change is asked for as it was given",
        arguments: [
            (
                ["add", "keyfile"], "AddSlot", #""kind":"keyfile""#,
                "Added the passphrase slot 00112233445566ff.\n"
            ),
            (
                ["add", "credential"], "AddSlot", #""kind":"credential""#,
                "Added the passphrase slot 00112233445566ff.\n"
            ),
            (
                ["add", "passphrase", "--passphrase-fd", "0"], "AddSlot",
                #""kind":"passphrase","passphrase":"made up""#,
                "Added the passphrase slot 00112233445566ff.\n"
            ),
            (
                ["add", "passphrase", "--keep-keyfile", "--passphrase-fd=0"], "AddSlot",
                #""kind":"passphrase","passphrase":"made up","keep_keyfile":true"#,
                "Added the passphrase slot 00112233445566ff.\n"
            ),
            (
                ["remove", "0011"], "RemoveSlot", #""id":"0011""#,
                "Removed the passphrase slot 00112233445566ff.\n"
            ),
            (
                ["--no-rotate", "remove", "0011"], "RemoveSlot", #""id":"0011","rotate":false"#,
                "Removed the passphrase slot 00112233445566ff.\n"
            ),
            (["rotate"], "Rotate", "", "The master key is now 00ff.\n"),
        ])
    func changes(words: [String], method: String, parameters: String, output: String) throws {
        let daemon = try daemon()
        let input = try directory.file("passphrase", "made up\n")
        let run = try CommandRun(["key"] + words + ["--socket", daemon.socket], input: input)
        #expect(run.status == .done && run.output == output && run.errors.isEmpty)
        #expect(
            daemon.received.last
                == #"{"method":"org.accountd.Keys.\#(method)","parameters":{\#(parameters)}}"#)
    }

    @Test("what a passphrase took the place of is said")
    func removed() throws {
        let other = #"{"id":"aa","kind":"keyfile","created":0,"created_date":"x"}"#
        let answer = #"{"parameters":{"slot":\#(FakeDaemon.slot),"removed":[\#(other)]}}"#
        let daemon = try daemon(but: ["AddSlot": answer])
        let run = try CommandRun(["key", "add", "keyfile", "--socket", daemon.socket])
        #expect(run.output.hasSuffix(".\nRemoved the keyfile slot aa.\n"))
    }

    @Test("a recovery code goes into a new file, and is sent back as it was drawn")
    func codeFile() throws {
        let daemon = try daemon()
        let path = directory.path + "/code"
        let run = try CommandRun([
            "key", "recovery", "--code-file", path, "--socket", daemon.socket,
        ])
        #expect(run.status == .done)
        #expect(!run.output.contains("0123"))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == FakeDaemon.code + "\n")
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        #expect(daemon.received.last?.contains(#""recovery_code":"\#(FakeDaemon.code)""#) == true)
    }

    @Test("a file that is there is not written over, and no slot is added")
    func codeFileExists() throws {
        let daemon = try daemon()
        let path = try directory.file("code", "mine")
        let run = try CommandRun([
            "key", "recovery", "--code-file", path, "--socket", daemon.socket,
        ])
        #expect(run.status == .usage)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
        #expect(!daemon.received.contains { $0.contains("AddSlot") })
    }

    @Test("a code that opens nothing is not left in a file")
    func codeFileRemoved() throws {
        let full = #"{"error":"org.accountd.Keys.TooManySlots"}"#
        let path = directory.path + "/code"
        let daemon = try daemon(but: ["AddSlot": full])
        let run = try CommandRun([
            "key", "add", "recovery", "--code-file", path, "--socket", daemon.socket,
        ])
        #expect(run.status == .inputRejected)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("a code is not shown where there is no terminal, and no slot is added")
    func codeWithoutTerminal() throws {
        let daemon = try daemon()
        let run = try CommandRun(["key", "recovery", "--no-input", "--socket", daemon.socket])
        #expect(run.status == .usage && run.output.isEmpty)
        #expect(!daemon.received.contains { $0.contains("NewRecoveryCode") })
    }

    @Test("a passphrase that is to be asked for is exit 4 where nobody may be asked")
    func passphraseWithoutTerminal() throws {
        let daemon = try daemon()
        let run = try CommandRun([
            "key", "add", "passphrase", "--no-input", "--socket", daemon.socket,
        ])
        #expect(run.status == .locked)
        #expect(
            run.errors == """
                account: --no-input forbids to ask for it
                hint: give it with --passphrase-fd N or --passphrase-file FILE

                """)
        #expect(!daemon.received.contains { $0.contains("AddSlot") })
    }
}
