import JSON
import Testing
import Varlink

@Suite struct CallTests {
    struct Case: Sendable {
        let text: String
        var method = "a.B"
        /// The parameters' text; nil: there are none.
        var parameters: String?
        var flags = ""
    }

    static let calls: [Case] = [
        Case(text: #"{"method":"a.B"}"#), Case(text: #" {"method" : "a.B" } "#),
        Case(text: #"{"method":"","x":1}"#, method: ""),
        Case(text: #"{"m\u0065thod":"a.B"}"#),
        Case(text: #"{"method":"a.B","parameters":null}"#),
        Case(text: #"{"method":"a.B","parameters":{}}"#, parameters: "{}"),
        Case(text: #"{"parameters":{"x":[1]},"method":"a.B"}"#, parameters: #"{"x":[1]}"#),
        Case(text: #"{"method":"a.B","oneway":true}"#, flags: "oneway"),
        Case(text: #"{"more":true,"method":"a.B"}"#, flags: "more"),
        Case(text: #"{"method":"a.B","upgrade":true}"#, flags: "upgrade"),
        Case(text: #"{"method":"a.B","oneway":false,"more":null,"upgrade":false}"#),
        Case(
            text: #"{"method":"a.B","parameters":{},"oneway":true,"more":true,"upgrade":true}"#,
            parameters: "{}", flags: "oneway more upgrade"),
        Case(text: #"{"method":"a.B","parameters":null,"more":true}"#, flags: "more"),
        Case(text: #"{"method":"a.B","on\u0065way":true}"#, flags: "oneway"),
        // What the protocol does not know is ignored, and so is it within the parameters.
        Case(text: #"{"method":"a.B","error":"x","continues":1,"Oneway":true}"#),
        Case(
            text: #"{"method":"a.B","parameters":{"oneway":true,"method":1}}"#,
            parameters: #"{"oneway":true,"method":1}"#),
    ]

    @Test("a call is its method, its parameters and its flags", arguments: calls)
    func call(one: Case) throws {
        let bytes = Array(one.text.utf8)
        var index = JSONIndex()
        let call = try Call(reading: bytes.span, with: &index)
        #expect(String(decoding: bytes[index.range(of: call.method)], as: UTF8.self) == one.method)
        let parameters = call.parameters.map {
            String(decoding: bytes[index.range(of: $0)], as: UTF8.self)
        }
        #expect(parameters == one.parameters)
        let flags = [
            call.oneway ? "oneway" : nil, call.more ? "more" : nil,
            call.upgrade ? "upgrade" : nil,
        ].compactMap { $0 }.joined(separator: " ")
        #expect(flags == one.flags)
    }

    static let faults: [(String, MessageError)] = [
        ("", .notJSON(.empty)), ("  ", .notJSON(.empty)), ("{", .notJSON(.syntax(offset: 1))),
        (#"{"method":"a.B"} x"#, .notJSON(.trailingData(offset: 17))),
        (
            #"{"method":"a.B","method":"a.B"}"#, .notJSON(.duplicateKey(offset: 16))
        ),
        (#"{"method":"a.\u0000B"}"#, .notJSON(.nulCharacter(offset: 13))),
        (#"{"method":"a.\udc00B"}"#, .notJSON(.loneSurrogate(offset: 13))),
        ("null", .notAnObject), ("[]", .notAnObject), (#""method""#, .notAnObject),
        ("1", .notAnObject), ("{}", .noMethod), (#"{"method":null}"#, .noMethod),
        (#"{"method":{}}"#, .noMethod), (#"{"METHOD":"a.B"}"#, .noMethod),
        (#"{"method":"a.B","parameters":[]}"#, .wrongType),
        (#"{"method":"a.B","parameters":"{}"}"#, .wrongType),
        (#"{"method":"a.B","parameters":true}"#, .wrongType),
        (#"{"method":"a.B","oneway":0}"#, .wrongType),
        (#"{"method":"a.B","more":"true"}"#, .wrongType),
        (#"{"method":"a.B","upgrade":[]}"#, .wrongType),
        (#"{"method":"a.B","parameters":{},"oneway":{}}"#, .wrongType),
    ]

    @Test("what is no call is told apart", arguments: faults)
    func fault(text: String, error: MessageError) {
        let bytes = Array(text.utf8)
        var index = JSONIndex()
        #expect(throws: error) { _ = try Call(reading: bytes.span, with: &index) }
        // The index can be used again.
        let good = Array(#"{"method":"a.B"}"#.utf8)
        #expect((try? Call(reading: good.span, with: &index)) != nil)
    }
}
