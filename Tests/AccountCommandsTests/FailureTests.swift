import JSON
import SecretMemory
import TestSupport
import Testing
import Varlink

@testable import AccountCommands

@Suite struct FailureTests {
    struct Case: CustomTestStringConvertible {
        let error: String
        var parameters = "{}"
        var task = CommandFailure.Task.asking(minimum: 0)
        let status: Status
        let message: String
        var hint: String?
        var testDescription: String { "\(error) \(parameters)" }
    }

    @Test(
        "an error of the daemon becomes an exit status, a message and a hint",
        arguments: [
            Case(
                error: "org.accountd.Account.NoAccount", status: .nothingStored,
                message: "no account is stored", hint: "store one with account login"),
            Case(
                error: "org.accountd.Account.TokenExpired",
                parameters: #"{"expires_at":1767830400,"remaining":-5}"#, status: .expired,
                message: "the token expired on 2026-01-08T00:00:00Z",
                hint: "log in again: account login"),
            Case(
                error: "org.accountd.Account.TokenExpired",
                parameters: #"{"expires_at":1767830400,"remaining":50}"#,
                task: .asking(minimum: 60), status: .expired,
                message: "the token expires in 50 s, on 2026-01-08T00:00:00Z; 60 s are asked for",
                hint: "log in again: account login"),
            Case(
                error: "org.accountd.Account.TokenExpired", status: .expired,
                message: "the token has expired", hint: "log in again: account login"),
            Case(
                error: "org.accountd.Account.Locked", status: .locked,
                message: "the store is locked", hint: "open it: account unlock"),
            Case(
                error: "org.accountd.Account.WrongKey", parameters: #"{"retry_after_ms":500}"#,
                task: .unlocking(.passphrase), status: .notPermitted,
                message: "the passphrase is wrong",
                hint: "account unlock --recovery-code opens the store without it"),
            Case(
                error: "org.accountd.Account.WrongKey", parameters: #"{"retry_after_ms":500}"#,
                task: .unlocking(.recoveryCode), status: .notPermitted,
                message: "the recovery code is not that of this store",
                hint: "account key list shows what opens it"),
            Case(
                error: "org.accountd.Account.OpensByItself",
                parameters: #"{"protection":["keyfile"]}"#, status: .notPermitted,
                message: "the store cannot be locked: all that it has opens it by itself",
                hint: "add a passphrase: account key add passphrase"),
            Case(
                error: "org.accountd.Keys.NoSuchSlot", parameters: #"{"id":"00"}"#,
                task: .changingKeys, status: .nothingStored,
                message: "no key slot has that id, or several begin so",
                hint: "account key list shows them"),
            Case(
                error: "org.accountd.Keys.LastSlot", task: .changingKeys, status: .inputRejected,
                message: "the last key slot stays: nothing would open the store any more",
                hint: "add another one first: account key add"),
            Case(
                error: "org.accountd.Keys.TooManySlots", task: .changingKeys,
                status: .inputRejected, message: "the store has as many key slots as it may have",
                hint: "remove one: account key remove ID"),
            Case(
                error: "org.accountd.Keys.TooManyRetiredKeys", task: .changingKeys,
                status: .inputRejected,
                message: "too many earlier master keys are still needed by some file",
                hint: "account archive reseal seals them anew; then run it again"),
            Case(
                error: "org.accountd.Account.InvalidField",
                parameters: #"{"field":"recovery_code","reason":"is mistyped"}"#,
                task: .unlocking(.recoveryCode), status: .inputRejected,
                message: "the recovery code is mistyped"),
            Case(
                error: "org.accountd.Account.AccountExists", parameters: #"{"uid":"77"}"#,
                task: .loggingIn, status: .inputRejected,
                message: "another account is stored already: uid 77",
                hint: "--replace forgets it and stores this one"),
            Case(
                error: "org.accountd.Account.AccountExists", parameters: #"{"uid":"77"}"#,
                task: .loggingOut, status: .inputRejected,
                message: "the account that is stored is another one: uid 77"),
            Case(
                error: "org.accountd.Account.InvalidField",
                parameters: #"{"field":"uid","reason":"not-digits"}"#, task: .loggingIn,
                status: .inputRejected, message: "the daemon refuses uid: not-digits"),
            Case(
                error: "org.accountd.Account.InvalidField",
                parameters: #"{"field":"min_validity","reason":"out-of-range"}"#,
                status: .usage, message: "the daemon refuses min_validity: out-of-range"),
            Case(
                error: "org.accountd.Account.StoreDamaged",
                parameters: #"{"what":"account.plist.sealed cannot be opened"}"#,
                status: .storeDamaged,
                message: "the store is damaged: account.plist.sealed cannot be opened",
                hint: "account doctor says what can be brought back"),
            Case(
                error: "org.accountd.Account.StoreFailed",
                parameters: #"{"errno":28,"message":"cannot write account.plist.sealed"}"#,
                status: .systemRefused,
                message: "the daemon could not do it: cannot write account.plist.sealed (ENOSPC)"),
            Case(
                error: "org.accountd.Account.StoreFailed",
                parameters: #"{"errno":13,"message":"k cannot be read: no (EACCES); nothing"}"#,
                status: .systemRefused,
                message: "the daemon could not do it: k cannot be read: no (EACCES); nothing"),
            Case(
                error: "org.accountd.Account.StoreFailed",
                parameters: #"{"errno":0,"message":"nobody knows why"}"#,
                status: .systemRefused,
                message: "the daemon could not do it: nobody knows why"),
            Case(
                error: "org.varlink.service.PermissionDenied", status: .notPermitted,
                message: "the daemon does not permit this to you",
                hint: "account status shows your role, if the owner has given you one "
                    + "with accountd --readers"),
            Case(
                error: "org.varlink.service.MethodNotFound", parameters: #"{"method":"x"}"#,
                status: .noDaemon, message: "the daemon that runs does not know this command yet",
                hint: "restart it, so that it is of this program's version"),
            Case(
                error: "com.example.Odd", status: .noDaemon,
                message: "the daemon answered with an unknown error: com.example.Odd"),
        ])
    func maps(_ given: Case) throws {
        let text = #"{"error":"\#(given.error)","parameters":\#(given.parameters)}"#
        var index = JSONIndex()
        let answer = try ClientReply(reading: text.utf8.span, with: &index)
        let name = try #require(answer.error)
        let failure = CommandFailure(
            answer, named: name, index, text.utf8.span, given.task, try .forTest())
        #expect(failure == CommandFailure(given.status, given.message, hint: given.hint))
    }

    @Test("a failure is two lines at the most, whatever stands in its text")
    func lines() {
        let failure = CommandFailure(
            .noDaemon, "no daemon answers at /tmp/a\nhint: rm -rf\u{1B}[2K", hint: "look\rat it")
        #expect(
            failure.text == """
                account: no daemon answers at /tmp/a\\nhint: rm -rf\\u{1b}[2K
                hint: look\\rat it

                """)
    }

    @Test(
        "control characters are shown, other characters stay",
        arguments: [
            ("Zoë 微博 🎈 \\n", "Zoë 微博 🎈 \\n"), ("\u{1B}]0;x\u{07}", "\\u{1b}]0;x\\u{7}"),
            ("a\u{9B}31m", "a\\u{9b}31m"), ("\u{7F}", "\\u{7f}"), ("a\u{2028}b", "a\\u{2028}b"),
            ("\u{202E}txt", "\\u{202e}txt"), ("a\r\n\tb", "a\\r\\n\\tb"), ("\u{0}", "\\u{0}"),
        ])
    func escapes(_ text: String, _ shown: String) {
        #expect(ControlCharacters.escaped(text) == shown)
    }

    @Test(
        "JSON text escapes what JSON and terminals want escaped",
        arguments: [
            ("a\"b\\c", #""a\"b\\c""#), ("\n\r\t", #""\n\r\t""#),
            ("\u{1}\u{7F}", #""\u0001\u007f""#),
            ("\u{9B}", #""\u009b""#), ("Zoë", "\"Zoë\""), ("\u{202E}a", #""\u202ea""#),
        ])
    func quotes(_ text: String, _ written: String) {
        #expect(JSONText.quoted(text) == written)
    }
}
