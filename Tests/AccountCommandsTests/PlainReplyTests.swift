import JSON
import Testing
import Varlink

@testable import AccountCommands

@Suite struct PlainReplyTests {
    @Test(
        "the usual answer about the expiry is read without an index",
        arguments: [
            (#"{"parameters":{"valid":true,"expires_at":1767830400,"remaining":5}}"#, true, 5),
            (#"{"parameters":{"valid":false,"expires_at":1767830400,"remaining":-7}}"#, false, -7),
            (#"{"parameters":{"valid":false,"expires_at":1767830400,"remaining":0}}"#, false, 0),
        ] as [(String, Bool, Int64)])
    func verdict(_ text: String, _ isValid: Bool, _ remaining: Int64) throws {
        let found = Verdict(plain: text.utf8.span)
        let verdict = try #require(found)
        #expect(verdict.isValid == isValid)
        #expect(verdict.expiresAt == 1_767_830_400)
        #expect(verdict.remaining == remaining)
    }

    @Test(
        "anything else about the expiry is left to the index",
        arguments: [
            "", "{", #"{"error":"org.accountd.Account.NoAccount","parameters":{}}"#,
            #"{"parameters": {"valid":true,"expires_at":1,"remaining":1}}"#,
            #"{"parameters":{"valid":null,"expires_at":1,"remaining":1}}"#,
            #"{"parameters":{"valid":true,"expires_at":01,"remaining":1}}"#,
            #"{"parameters":{"valid":true,"expires_at":1,"remaining":-}}"#,
            #"{"parameters":{"valid":true,"expires_at":1,"remaining":1.5}}"#,
            #"{"parameters":{"valid":true,"expires_at":1,"remaining":1}} "#,
            #"{"parameters":{"valid":true,"expires_at":1,"remaining":1}"#,
            #"{"parameters":{"valid":true,"expires_at":1,"remaining":9223372036854775807}}"#,
            #"{"parameters":{"expires_at":1,"valid":true,"remaining":1}}"#,
        ])
    func otherVerdict(_ text: String) {
        let found = Verdict(plain: text.utf8.span)
        #expect(found == nil)
    }

    @Test(
        "what is printed as it is written is printable",
        arguments: [
            (#"{"access_token":"2.00\u0061bc\"","uid":"9","expires_at":1}"#, true),
            (#"{"access_token":"2.00 abc","uid":"9","expires_at":1}"#, false),
            ("{\"access_token\":\"2.00\u{9B}31m\",\"uid\":\"9\",\"expires_at\":1}", false),
            ("{\"access_token\":\"2.00\",\"uid\":\"9\u{202E}\",\"expires_at\":1}", false),
        ])
    func printable(_ parameters: String, _ isAnswer: Bool) throws {
        let text = Array("{ \"parameters\":\(parameters)}".utf8)
        var index = JSONIndex()
        let reply = try ClientReply(reading: text.span, with: &index)
        let found = TokenAnswer(reply, index, text.span) != nil
        #expect(found == isAnswer)
    }

    @Test(
        "a token that is not written plainly is left to the index",
        arguments: [
            (#"{"parameters":{"access_token":"2.00abc","uid":"9","expires_at":1}}"#, true),
            (#"{"parameters":{"access_token":"2.00\u0061bc","uid":"9","expires_at":1}}"#, false),
            (#"{"parameters":{"access_token":"2.00 abc","uid":"9","expires_at":1}}"#, false),
            (
                "{\"parameters\":{\"access_token\":\"2.00\nabc\",\"uid\":\"9\",\"expires_at\":1}}",
                false
            ),
            (#"{"parameters":{"access_token":"2.00é","uid":"9","expires_at":1}}"#, false),
            (#"{"parameters":{"access_token":"","uid":"9","expires_at":1}}"#, false),
            (#"{"parameters":{"access_token":"2.00abc","uid":"9","expires_at":1},"x":1}"#, false),
            (#"{"parameters":{"access_token":"2.00abc","uid":9,"expires_at":1}}"#, false),
        ])
    func token(_ text: String, _ isPlain: Bool) {
        let found = TokenAnswer(plain: text.utf8.span) != nil
        #expect(found == isPlain)
    }
}
