import Testing

@testable import AccountCommands

@Suite struct ExitStatusTests {
    // Scripts rely on each of them: a line here may be added, never changed.
    private static let promised = """
        0   yes, done
        1   no: the token has expired, or has less than the asked validity
        2   usage
        3   nothing is stored: no account, no such key slot, archive or draft
        4   locked
        5   no daemon answers
        6   not permitted: this user may not, or a wrong passphrase or recovery code
        7   the store is damaged
        8   the input was rejected (bad token response, Weibo's error)
        9   the system refused (disk full, I/O error): the message names the errno
        10  timed out

        """

    @Test("the numbers and their meanings are as promised")
    func numbers() throws {
        let run = try CommandRun(["exit-codes"])
        #expect(run.status == .done)
        #expect(run.output == Self.promised)
    }
}
