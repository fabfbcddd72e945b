import AccountService
import TestStore
import Testing

/// What holds for a message whatever it asks for.
@Suite struct MessageTests {
    static let noCalls: [[UInt8]] =
        [
            "", " ", "nul", "null", "true", "7", #""org.accountd.Account.GetToken""#, "[]",
            #"["org.accountd.Account.GetToken"]"#, "{}", #"{"method":null}"#, #"{"method":1}"#,
            #"{"method":["org.accountd.Account.GetToken"]}"#, #"{"Method":"x"}"#,
            #"{"method":"org.accountd.Account.GetToken""#,
            #"{"method":"org.accountd.Account.GetToken"}}"#,
            #"{"method":"org.accountd.Account.GetToken"}{}"#,
            #"{"method":"org.accountd.Account.GetToken",}"#,
            #"{'method':'org.accountd.Account.GetToken'}"#,
            #"{"method":"org.accountd.Account.GetToken","method":"org.accountd.Account.GetToken"}"#,
            #"{"method":"org.accountd.Account.GetToken","m\u0065thod":"x"}"#,
            #"{"method":"org.accountd.Account.GetToken\u0000"}"#,
            #"{"method":"org.accountd.Account.GetToken","x":"\ud800"}"#,
            #"{"method":"org.accountd.Account.GetToken","oneway":1}"#,
            #"{"method":"org.accountd.Account.GetToken","oneway":"true"}"#,
            #"{"method":"org.accountd.Account.GetToken","more":[]}"#,
            #"{"method":"org.accountd.Account.GetToken","upgrade":{}}"#,
            #"{"method":"org.accountd.Account.GetToken","x":\#(nested(16))}"#,
            "\u{FEFF}" + #"{"method":"org.accountd.Account.GetToken"}"#,
        ].map { Array($0.utf8) } + [
            Array(#"{"method":"org.accountd.Account.Get"#.utf8) + [0xFF] + Array(#"Token"}"#.utf8),
            Array(#"{"method":"a"}"#.utf8) + [0],
        ]

    /// Arrays in each other.
    static func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    @Test("what is no call ends the connection, without a word", arguments: noCalls)
    func malformed(message: [UInt8]) throws {
        let desk = try Desk.standing(.present)
        let answer = desk.send(message)
        #expect(answer == Answer(kind: .close, method: nil, verdict: .malformed))
        #expect(try desk.call("GetToken").text == Reply.token)
    }

    @Test("a message may nest sixteen deep")
    func depth() throws {
        let message = #"{"method":"org.accountd.Account.GetToken","x":\#(Self.nested(15))}"#
        #expect(try Desk.standing(.present).send(message).text == Reply.token)
    }

    static let unknownMethods: [(String, String, String)] = [
        ("org.accountd.Account.Nope", "MethodNotFound", "org.accountd.Account.Nope"),
        ("org.accountd.Account.", "MethodNotFound", "org.accountd.Account."),
        ("org.accountd.Account.getToken", "MethodNotFound", "org.accountd.Account.getToken"),
        ("org.accountd.Account.GetTokens", "MethodNotFound", "org.accountd.Account.GetTokens"),
        ("org.accountd.Account.GetToke", "MethodNotFound", "org.accountd.Account.GetToke"),
        ("org.varlink.service.Nope", "MethodNotFound", "org.varlink.service.Nope"),
        ("org.accountd.Account\\u002eNope", "MethodNotFound", "org.accountd.Account.Nope"),
        ("org.exam\\u0070le.Thing\\u002EDo", "InterfaceNotFound", "org.example.Thing"),
        ("org.accountd.Account. 2.00abc", "InterfaceNotFound", ""),
        ("org.accountd.Account.2 00abc", "MethodNotFound", ""),
        ("org.acc\\u006funtd.Account.Nope", "MethodNotFound", "org.accountd.Account.Nope"),
        ("org.example.Thing.Do", "InterfaceNotFound", "org.example.Thing"),
        ("org.accountd.Accoun.GetToken", "InterfaceNotFound", "org.accountd.Accoun"),
        ("org.accountd.Accounts.GetToken", "InterfaceNotFound", "org.accountd.Accounts"),
        ("org.accountd.Keys.Nope", "MethodNotFound", "org.accountd.Keys.Nope"),
        ("org.accountd.Keys.GetToken", "MethodNotFound", "org.accountd.Keys.GetToken"),
        ("org.accountd.Key.ListSlots", "InterfaceNotFound", "org.accountd.Key"),
        ("ORG.accountd.Account.GetToken", "InterfaceNotFound", "ORG.accountd.Account"),
        ("2.00abcDEF", "InterfaceNotFound", ""), ("GetToken", "InterfaceNotFound", ""),
        ("", "InterfaceNotFound", ""), (".", "InterfaceNotFound", ""),
        (".GetToken", "InterfaceNotFound", ""), ("名.字", "InterfaceNotFound", ""),
        ("a\\\"b.c", "InterfaceNotFound", ""),
        (String(repeating: "a", count: 128) + ".M", "InterfaceNotFound", long(128)),
        (String(repeating: "a", count: 129) + ".M", "InterfaceNotFound", ""),
    ]

    private static func long(_ count: Int) -> String { String(repeating: "a", count: count) }

    @Test("an unknown method is refused by its name, or its interface's", arguments: unknownMethods)
    func unknown(method: String, error: String, name: String) throws {
        for role in [Role.observer, .reader, .owner] {
            let desk = try Desk.standing(.present)
            let answer = desk.send(#"{"method":"\#(method)"}"#, as: role)
            let what = error == "MethodNotFound" ? "method" : "interface"
            #expect(
                answer.text
                    == Reply.error("org.varlink.service.\(error)", #""\#(what)":"\#(name)""#))
            #expect(answer.verdict == .unknownMethod)
            #expect(answer.method == nil)
        }
    }

    @Test("a call that wants no reply gets none, and is done all the same")
    func oneway() throws {
        for (method, parameters, replies) in MethodTests.replies {
            for (state, expected) in zip(State.allCases, replies) {
                let desk = try Desk.standing(state)
                let answer = try desk.complete(
                    desk.send(Desk.message(method, parameters, flag: "oneway")))
                #expect(answer.kind == .silence, "\(method), \(state), \(expected)")
                let heard = try Desk.standing(state)
                let verdict = try heard.call(method, parameters).verdict
                #expect(answer.verdict == verdict)
                let now = try desk.call("GetAccount").text
                #expect(try heard.call("GetAccount").text == now)
            }
        }
    }

    @Test("a refused call that wants no reply gets none")
    func onewayRefused() throws {
        let desk = try Desk.standing(.present)
        for message in [
            #"{"method":"org.accountd.Account.Nope","oneway":true}"#,
            #"{"method":"org.accountd.Account.GetToken","parameters":{"x":1},"oneway":true}"#,
            #"{"method":"org.varlink.service.GetInterfaceDescription","oneway":true}"#,
            #"{"method":"org.accountd.Account.GetToken","oneway":true,"upgrade":true}"#,
        ] {
            #expect(desk.send(message).kind == .silence)
        }
        let denied = desk.send(
            #"{"method":"org.accountd.Account.Export","oneway":true}"#, as: .reader)
        #expect(denied.kind == .silence)
        #expect(denied.verdict == .denied)
    }

    @Test("flags that are false or null are no flags", arguments: ["false", "null"])
    func unset(value: String) throws {
        let answer = try Desk.standing(.present).send(
            """
            {"method":"org.accountd.Account.GetToken","oneway":\(value),"more":\(value),\
            "upgrade":\(value)}
            """)
        #expect(answer.text == Reply.token)
    }

    @Test("a caller that would take several replies gets the one that there is")
    func more() throws {
        for (method, parameters, replies) in MethodTests.replies {
            for (state, expected) in zip(State.allCases, replies) {
                let desk = try Desk.standing(state)
                let answer = try desk.complete(
                    desk.send(Desk.message(method, parameters, flag: "more")))
                #expect(answer.shape == expected)
            }
        }
    }

    @Test("nobody leaves the protocol")
    func upgrade() throws {
        for method in Method.allCases {
            let desk = try Desk.standing(.present)
            let answer = desk.send(#"{"method":"\#(method.name)","upgrade":true}"#)
            #expect(answer.text == Reply.invalid(parameter: "upgrade"))
            #expect(answer.verdict == .invalid)
            #expect(try desk.call("GetToken").text == Reply.token)
        }
        let desk = try Desk()
        #expect(
            desk.send(#"{"method":"org.accountd.Account.Login","upgrade":true}"#, as: .reader).text
                == Reply.denied)
    }

    @Test("the status counts the connections")
    func connections() throws {
        let message = Array(#"{"method":"org.accountd.Account.GetStatus"}"#.utf8)
        let answer = try Desk.standing(.present).send(message, connections: 4096)
        #expect(
            answer.text
                == Reply.status("present").replacing(
                    #""connections":3"#, with: #""connections":4096"#))
    }

    @Test("a stranger is told so, in one message")
    func stranger() throws {
        let desk = try Desk()
        #expect(desk.refusalOfStrangers() == Reply.denied + "\0")
    }
}
