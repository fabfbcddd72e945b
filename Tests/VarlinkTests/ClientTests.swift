import JSON
import SecretMemory
import TestSupport
import Testing
import Varlink

@Suite struct ClientTests {
    private func text(of buffer: borrowing SecretBuffer) -> String {
        buffer.withBytes { bytes in
            var text: [UInt8] = []
            for index in bytes.indices { text.append(bytes[index]) }
            return String(decoding: text, as: UTF8.self)
        }
    }

    @Test("a call without parameters has an empty object for them")
    func bareCall() throws {
        var out = try SecretBuffer(arena: .forTest(), capacity: 256)
        try MessageWriter.beginCall("org.example.Ping", &out).end(&out)
        let text = self.text(of: out)
        #expect(text == "{\"method\":\"org.example.Ping\",\"parameters\":{}}\u{0}")
    }

    @Test("calls follow each other, and what is nil is left out")
    func calls() throws {
        let arena = try SecretArena.forTest()
        var secret = try arena.allocate(3)
        secret.withMutableBytes {
            $0[0] = 0x22; $0[1] = 0x5C; $0[2] = 0x61
        }
        var out = try SecretBuffer(arena: arena, capacity: 512)
        var call = try MessageWriter.beginCall("a.B", &out)
        try call.field("none", optional: nil as String?, &out)
        try call.field("text", "Zoë\n", &out)
        try call.field("missing", optional: nil as Int64?, &out)
        try call.field("number", -5, &out)
        try call.field("secret", secret: secret, &out)
        try call.field("flag", true, &out)
        try call.end(&out)
        try MessageWriter.beginCall("a.C", &out).end(&out)
        let text = self.text(of: out)
        #expect(
            text == #"{"method":"a.B","parameters":{"text":"Zoë\n","number":-5,"#
                + "\"secret\":\"\\\"\\\\a\",\"flag\":true}}\u{0}"
                + "{\"method\":\"a.C\",\"parameters\":{}}\u{0}")
    }

    @Test("a call says what its caller wants back", arguments: CallMode.allCases)
    func modes(_ mode: CallMode) throws {
        var out = try SecretBuffer(arena: .forTest(), capacity: 256)
        var writer = try MessageWriter.beginCall("org.example.Ping", mode: mode, &out)
        try writer.field("a", 1, &out)
        try writer.end(&out)
        out.truncate(to: out.count - 1)
        let written = self.text(of: out)
        var index = JSONIndex()
        let call = try Call(reading: written.utf8.span, with: &index)
        let isNamed = index.string(call.method, equals: "org.example.Ping", in: written.utf8.span)
        #expect(isNamed)
        #expect(call.parameters.map { index.count(of: $0) } == 1)
        #expect(call.oneway == (mode == .oneway))
        #expect(call.more == (mode == .more))
        #expect(call.upgrade == (mode == .upgrade))
        #expect(index.count(of: index.root) == (mode == .plain ? 2 : 3))
    }

    struct Case: CustomTestStringConvertible {
        let text: String
        var error: String?
        var hasParameters = true
        var continues = false
        var testDescription: String { text }
    }

    @Test(
        "a reply says whether it is an error, and whether another follows",
        arguments: [
            Case(text: #"{"parameters":{}}"#),
            Case(text: "{}", hasParameters: false),
            Case(text: #"{"parameters":null,"error":null,"continues":null}"#, hasParameters: false),
            Case(text: #"{"parameters":{"a":1},"continues":true}"#, continues: true),
            Case(text: #"{"continues":false,"parameters":{},"other":[]}"#),
            Case(text: #"{"error":"a.B","parameters":{}}"#, error: "a.B"),
            Case(text: #"{"\u0065rror":"a.B"}"#, error: "a.B", hasParameters: false),
        ])
    func replies(_ given: Case) throws {
        var index = JSONIndex()
        let text = given.text.utf8.span
        let reply = try ClientReply(reading: text, with: &index)
        let error = reply.error.map { node in
            String(decoding: Array(given.text.utf8)[index.range(of: node)], as: UTF8.self)
        }
        #expect(error == given.error)
        #expect((reply.parameters != nil) == given.hasParameters)
        #expect(reply.continues == given.continues)
    }

    @Test(
        "what is no reply is told so",
        arguments: [
            ("[]", ClientReplyError.notAnObject), ("1", .notAnObject),
            (#"{"error":1}"#, .wrongType), (#"{"parameters":[]}"#, .wrongType),
            (#"{"continues":"true"}"#, .wrongType), ("", .notJSON(.empty)),
        ])
    func noReplies(_ text: String, _ error: ClientReplyError) {
        var index = JSONIndex()
        #expect(throws: error) { try ClientReply(reading: text.utf8.span, with: &index) }
    }

    @Test("a field that is null is as good as absent")
    func fields() throws {
        let text = #"{"parameters":{"a":1,"b":null}}"#
        var index = JSONIndex()
        let reply = try ClientReply(reading: text.utf8.span, with: &index)
        let present = reply.field("a", index, text.utf8.span)
        let null = reply.field("b", index, text.utf8.span)
        let absent = reply.field("c", index, text.utf8.span)
        #expect(present != nil)
        #expect(null == nil)
        #expect(absent == nil)
    }
}
