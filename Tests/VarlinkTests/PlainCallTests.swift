import JSON
import Testing
import Varlink

@Suite struct PlainCallTests {
    private static let name: StaticString = "org.accountd.Account.GetToken"

    private static func isPlain(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return PlainCall.isCall(to: name, bytes.span)
    }

    /// What the scanner makes of the same text: a call to the method with nothing else to say.
    private static func isPlainToScanner(_ bytes: [UInt8]) -> Bool {
        var index = JSONIndex()
        guard let call = try? Call(reading: bytes.span, with: &index) else { return false }
        guard index.string(call.method, equals: name, in: bytes.span) else { return false }
        let parameters = call.parameters.map { index.count(of: $0) } ?? 0
        return parameters == 0 && !call.oneway && !call.more && !call.upgrade
    }

    @Test(
        "a plain call is recognised in any layout",
        arguments: [
            #"{"method":"org.accountd.Account.GetToken"}"#,
            #"{"method":"org.accountd.Account.GetToken","parameters":{}}"#,
            #"{"parameters":{},"method":"org.accountd.Account.GetToken"}"#,
            #"{"method": "org.accountd.Account.GetToken", "parameters": {}}"#,
            "\t{ \"method\" :\r\n\"org.accountd.Account.GetToken\" , \"parameters\" : { } } \n",
        ])
    func recognised(_ text: String) {
        #expect(Self.isPlain(text))
        #expect(Self.isPlainToScanner(Array(text.utf8)))
    }

    @Test(
        "everything else is left to the scanner",
        arguments: [
            "", "{", "{}", "{}}", #"{"method"}"#, #"{"method":"org.accountd.Account.GetToken""#,
            #"{"method":"org.accountd.Account.GetToken"}}"#,
            #"{"method":"org.accountd.Account.GetToken"} x"#,
            #"{"method":"org.accountd.Account.GetToken",}"#,
            #"{"method":"org.accountd.Account.GetTokens"}"#,
            #"{"method":"org.accountd.Account.GetToke"}"#,
            #"{"method":"org.accountd.Account.GetToken","method":"org.accountd.Account.GetToken"}"#,
            #"{"method":"org.accountd.Account.GetToken","parameters":{},"parameters":{}}"#,
            #"{"method":"org.accountd.Account.GetToken","parameters":{"min_validity":1}}"#,
            #"{"method":"org.accountd.Account.GetToken","parameters":null}"#,
            #"{"method":"org.accountd.Account.GetToken","oneway":true}"#,
            #"{"parameters":{}}"#, #"["method":"org.accountd.Account.GetToken"]"#,
            #"{"\u006dethod":"org.accountd.Account.GetToken"}"#,
        ])
    func left(_ text: String) {
        #expect(!Self.isPlain(text))
    }

    @Test("whatever is recognised, the scanner reads the same: every change of one byte")
    func agrees() {
        let texts = [
            #"{"method":"org.accountd.Account.GetToken"}"#,
            #" { "parameters" : { } , "method" : "org.accountd.Account.GetToken" } "#,
        ]
        var recognised = 0
        for text in texts {
            let bytes = Array(text.utf8)
            for position in bytes.indices {
                for value in UInt8.min...UInt8.max {
                    var changed = bytes
                    changed[position] = value
                    guard PlainCall.isCall(to: Self.name, changed.span) else { continue }
                    recognised += 1
                    #expect(Self.isPlainToScanner(changed), "\(changed)")
                }
                let cut = Array(bytes[..<position])
                #expect(!PlainCall.isCall(to: Self.name, cut.span) || Self.isPlainToScanner(cut))
            }
        }
        // The texts themselves at least, once for each byte that was given its own value.
        #expect(recognised > 100)
    }
}
