import JSON
import SecretMemory
import TestSupport
import Testing
import Varlink

@Suite struct ServiceInterfaceTests {
    static let service = ServiceInterface(
        vendor: "v\"", product: "p", version: "1", url: "u",
        interfaces: [ServiceInterface.Description(name: "org.example.A", text: "# A\n\"x\"\n")])

    @Test(
        "a method's interface is served by its whole name, however it is spelt",
        arguments: [
            ("org.example.A.B", true), ("org.varlink.service.B", true), ("org.example.A.", true),
            ("org.example.B.B", false), ("org.example.A", false), ("org.example.AA.B", false),
            ("org.example.A.B.C", false), ("org.example..B", false), ("", false), (".", false),
            ("B", false), (".B", false), ("org.example.a.B", false), ("org.example.", false),
            (#"org.ex\u0061mple.A.B"#, true), (#"org.example.A\u002eB"#, true),
            (#"org.example.A.\u0042"#, true), (#"org.example.A.B\u002e"#, false),
            (#"org.example.\u00c1.B"#, false),
        ])
    func serves(method: String, isServed: Bool) throws {
        let bytes = Array(#"{"method":"\#(method)"}"#.utf8)
        var index = JSONIndex()
        let call = try Call(reading: bytes.span, with: &index)
        let isFound = Self.service.servesInterface(ofMethod: call.method, index, bytes.span)
        #expect(isFound == isServed)
    }

    private static func answer(
        _ method: ServiceInterface.Method, _ parameters: String
    ) throws -> (String, Bool) {
        let bytes = Array(#"{"method":"x","parameters":\#(parameters)}"#.utf8)
        var index = JSONIndex()
        let call = try Call(reading: bytes.span, with: &index)
        var out = try SecretBuffer(
            arena: SecretArena.forTest(capacity: 65_536), capacity: 8192)
        let isAnswer = try service.answer(method, call, index, bytes.span, &out)
        let text = out.withBytes { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
        return (text, isAnswer)
    }

    static let info =
        #"{"parameters":{"vendor":"v\"","product":"p","version":"1","url":"u","#
        + "\"interfaces\":[\"org.varlink.service\",\"org.example.A\"]}}\0"
    static let description = "{\"parameters\":{\"description\":\"# A\\n\\\"x\\\"\\n\"}}\0"

    static let answers: [(ServiceInterface.Method, String, String, Bool)] = [
        (.getInfo, "null", info, true), (.getInfo, "{}", info, true),
        (.getInfo, #"{"interface":"x"}"#, invalid("interface"), false),
        (.getInterfaceDescription, #"{"interface":"org.example.A"}"#, description, true),
        (.getInterfaceDescription, #"{"int\u0065rface":"org.example.\u0041"}"#, description, true),
        (.getInterfaceDescription, "null", invalid("interface"), false),
        (.getInterfaceDescription, "{}", invalid("interface"), false),
        (.getInterfaceDescription, #"{"interface":null}"#, invalid("interface"), false),
        (
            .getInterfaceDescription, #"{"interface":["org.example.A"]}"#, invalid("interface"),
            false
        ),
        (.getInterfaceDescription, #"{"interface":"org.example.A","x":1}"#, invalid("x"), false),
        (
            .getInterfaceDescription, #"{"interfaces":"org.example.A"}"#, invalid("interfaces"),
            false
        ),
        (
            .getInterfaceDescription, #"{"interface":"org.example.B"}"#,
            #"{"error":"org.varlink.service.InterfaceNotFound","parameters":"#
                + "{\"interface\":\"org.example.B\"}}\0", false
        ),
    ]

    private static func invalid(_ name: String) -> String {
        #"{"error":"org.varlink.service.InvalidParameter","parameters":"#
            + "{\"parameter\":\"\(name)\"}}\0"
    }

    @Test("it says who it is, and what each interface holds", arguments: answers)
    func answer(
        method: ServiceInterface.Method, parameters: String, reply: String, isAnswer: Bool
    ) throws {
        let (text, answered) = try Self.answer(method, parameters)
        #expect(text == reply)
        #expect(answered == isAnswer)
    }

    @Test("it describes itself too")
    func itself() throws {
        let (text, answered) = try Self.answer(
            .getInterfaceDescription, #"{"interface":"org.varlink.service"}"#)
        #expect(answered)
        let escaped = ServiceInterface.ownDescription.replacing("\n", with: "\\n")
            .replacing("\"more\"", with: "\\\"more\\\"")
        #expect(text == "{\"parameters\":{\"description\":\"\(escaped)\"}}\0")
    }
}
