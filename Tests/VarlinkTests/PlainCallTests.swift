import JSON
import Testing
import Varlink

@Suite struct PlainCallTests {
    private static let name: StaticString = "org.accountd.Account.GetToken"

    private static func minimum(_ bytes: [UInt8]) -> Int64? {
        PlainCall(to: name, bytes.span)?.minimum
    }

    /// What the scanner makes of the same text, where it is a call that wants one reply.
    private static func minimumByScanner(_ text: [UInt8]) -> Int64? {
        var index = JSONIndex()
        guard let call = try? Call(reading: text.span, with: &index),
            index.string(call.method, equals: name, in: text.span),
            !call.oneway, !call.more, !call.upgrade
        else { return nil }
        guard let parameters = call.parameters, index.count(of: parameters) > 0 else { return 0 }
        guard index.count(of: parameters) == 1,
            let value = index.member("min_validity", of: parameters, in: text.span)
        else { return nil }
        return index.kind(of: value) == .null ? 0 : index.integer(value, in: text.span)
    }

    private static let spellings: [(String, Int64)] = [
        (#"{"method":"org.accountd.Account.GetToken"}"#, 0),
        (#"{"method":"org.accountd.Account.GetToken","parameters":{}}"#, 0),
        (#"{"parameters":{},"method":"org.accountd.Account.GetToken"}"#, 0),
        (#"{"method": "org.accountd.Account.GetToken", "parameters": {}}"#, 0),
        ("\t{ \"method\" :\r\n\"org.accountd.Account.GetToken\" , \"parameters\" : { } } \n", 0),
        (#"{"method":"org.accountd.Account.GetToken","parameters":{"min_validity":0}}"#, 0),
        (
            #"{"method":"org.accountd.Account.GetToken","parameters":{ "min_validity" : 600 } }"#,
            600
        ),
        (#"{"method":"org.accountd.Account.GetToken","parameters":{"min_validity":null}}"#, 0),
        (
            #"{"parameters":{"min_validity":999999999999999999},"#
                + #""method":"org.accountd.Account.GetToken"}"#, 999_999_999_999_999_999
        ),
        (#"{"method":"org.accountd.Account.GetToken","oneway":false,"more":false}"#, 0),
        (#"{"upgrade":null,"method":"org.accountd.Account.GetToken","more":null}"#, 0),
        (#"{"\u006dethod":"org.accountd.Account.GetToken","\u0070arameters":{}}"#, 0),
        (#"{"method":"org\u002eaccountd\u002EAccount.\u0047etToken"}"#, 0),
        (
            #"{"method":"org.accountd.Account.GetToken","#
                + #""parameters":{"\u006d\u0069\u006e_validity":60}}"#, 60
        ),
    ]

    @Test("a plain call is recognised in any spelling", arguments: spellings)
    func recognised(_ text: String, _ minimum: Int64) {
        #expect(Self.minimum(Array(text.utf8)) == minimum)
        #expect(Self.minimumByScanner(Array(text.utf8)) == minimum)
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
            #"{"method":"org.accountd.Account.GetToken","parameters":null}"#,
            #"{"method":"org.accountd.Account.GetToken","parameters":{"min_validity":-1}}"#,
            #"{"method":"org.accountd.Account.GetToken","parameters":{"min_validity":01}}"#,
            #"{"method":"org.accountd.Account.GetToken","parameters":{"min_validity":1.0}}"#,
            #"{"method":"org.accountd.Account.GetToken","parameters":{"min_validity":1e3}}"#,
            #"{"method":"org.accountd.Account.GetToken","parameters":{"min_validity":"1"}}"#,
            #"{"method":"org.accountd.Account.GetToken","parameters":{"min_validity":}}"#,
            #"{"method":"org.accountd.Account.GetToken","parameters":{"max_validity":1}}"#,
            #"{"method":"org.accountd.Account.GetToken","parameters":{"min_validity":1,"a":1}}"#,
            #"{"method":"org.accountd.Account.GetToken","oneway":true}"#,
            #"{"method":"org.accountd.Account.GetToken","more":true}"#,
            #"{"method":"org.accountd.Account.GetToken","other":false}"#,
            #"{"parameters":{}}"#, #"["method":"org.accountd.Account.GetToken"]"#,
            #"{"method":"org.accountd.Account.\u0048etToken"}"#,
            #"{"method":"org.accountd.Account.\u0147etToken"}"#,
            #"{"method":"org.accountd.Account.\u47etToken"}"#,
            #"{"method":"org.accountd.Account.GetToken\u0000"}"#,
        ])
    func left(_ text: String) {
        #expect(Self.minimum(Array(text.utf8)) == nil)
    }

    @Test("whatever is recognised, the scanner reads the same: every change of one byte, every cut")
    func agrees() {
        var recognised = 0
        for (text, _) in Self.spellings {
            let bytes = Array(text.utf8)
            for position in bytes.indices {
                for value in UInt8.min...UInt8.max {
                    var changed = bytes
                    changed[position] = value
                    guard let minimum = Self.minimum(changed) else { continue }
                    recognised += 1
                    #expect(Self.minimumByScanner(changed) == minimum, "\(changed)")
                }
                let cut = Array(bytes[..<position])
                if let minimum = Self.minimum(cut) {
                    #expect(Self.minimumByScanner(cut) == minimum, "\(cut)")
                }
            }
        }
        // The texts themselves at least, once for each byte that was given its own value.
        #expect(recognised > 1000)
    }
}
