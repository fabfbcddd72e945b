import JSON
import SecretMemory
import TestSupport
import Testing
import Varlink

@Suite struct StandardErrorTests {
    /// What is written for a message's method.
    private static func reply(
        to text: String, _ write: (Call, JSONIndex, Span<UInt8>, inout SecretBuffer) throws -> Void
    ) throws -> String {
        let bytes = Array(text.utf8)
        var index = JSONIndex()
        let call = try Call(reading: bytes.span, with: &index)
        var out = try SecretBuffer(
            arena: SecretArena.forTest(capacity: 65_536), capacity: 4096)
        try write(call, index, bytes.span, &out)
        return out.withBytes { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
    }

    static let names: [(spelt: String, echoed: String)] = [
        ("a", "a"), ("Z", "Z"), ("a.b-c_D9", "a.b-c_D9"), ("a.", "a."), ("a-", "a-"),
        (String(repeating: "x", count: 128), String(repeating: "x", count: 128)),
        (String(repeating: "x", count: 129), ""), ("", ""), (".a", ""), ("-a", ""), ("_a", ""),
        ("9a", ""), ("2.00abcDEF", ""), ("a b", ""), ("a\\u0062", "ab"), ("\\u0061", "a"),
        ("a\\u0020b", ""), ("\\u0039a", ""), ("a\\\\", ""), ("a/b", ""),
        ("ä", ""), ("a小", ""), ("a\u{7F}", ""), ("a+b", ""), ("a=b", ""), ("a:b", ""), ("[", ""),
        ("@", ""), ("`", ""), ("{", ""),
    ]

    @Test("no more than a name is given back", arguments: names)
    func echo(spelt: String, echoed: String) throws {
        #expect(
            try Self.reply(to: #"{"method":"\#(spelt)"}"#) { call, index, text, out in
                try StandardError.invalidParameter(named: call.method, index, text, &out)
            }
                == #"{"error":"org.varlink.service.InvalidParameter","parameters":"#
                + "{\"parameter\":\"\(echoed)\"}}\0")
        #expect(
            try Self.reply(to: #"{"method":"\#(spelt)"}"#) { call, index, text, out in
                try StandardError.interfaceNotFound(call.method, index, text, &out)
            }
                == #"{"error":"org.varlink.service.InterfaceNotFound","parameters":"#
                + "{\"interface\":\"\(echoed)\"}}\0")
        #expect(
            try Self.reply(to: #"{"method":"\#(spelt)"}"#) { call, index, text, out in
                try StandardError.notFound(
                    method: call.method, interfaceIsServed: true, index, text, &out)
            }
                == #"{"error":"org.varlink.service.MethodNotFound","parameters":"#
                + "{\"method\":\"\(echoed)\"}}\0")
    }

    static let interfaces = [
        ("a.b.C", "a.b"), ("a", ""), (".", ""), ("a.", "a"), ("a..b", "a."), ("", ""),
        ("2.00.X", ""), ("a\\u002eb\\u002EC", "a.b"), ("a.b.\\u0043", "a.b"),
    ]

    @Test("of a method whose interface is not served the interface is named", arguments: interfaces)
    func interface(method: String, interface: String) throws {
        #expect(
            try Self.reply(to: #"{"method":"\#(method)"}"#) { call, index, text, out in
                try StandardError.notFound(
                    method: call.method, interfaceIsServed: false, index, text, &out)
            }
                == #"{"error":"org.varlink.service.InterfaceNotFound","parameters":"#
                + "{\"interface\":\"\(interface)\"}}\0")
    }

    @Test("the other errors are as varlink.org has them")
    func fixed() throws {
        let message = #"{"method":"a.B"}"#
        #expect(
            try Self.reply(to: message) { _, _, _, out in try StandardError.permissionDenied(&out) }
                == "{\"error\":\"org.varlink.service.PermissionDenied\",\"parameters\":{}}\0")
        #expect(
            try Self.reply(to: message) { _, _, _, out in try StandardError.expectedMore(&out) }
                == "{\"error\":\"org.varlink.service.ExpectedMore\",\"parameters\":{}}\0")
        #expect(
            try Self.reply(to: message) { _, _, _, out in
                try StandardError.invalidParameter("x", &out)
            }
                == #"{"error":"org.varlink.service.InvalidParameter","parameters":"#
                + "{\"parameter\":\"x\"}}\0")
    }
}
