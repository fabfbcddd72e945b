import AccountService
import Testing

/// What is wrong with the parameters of a call, for every parameter in the interface file.
@Suite struct ParameterTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let method: String
        let parameter: InterfaceFile.Parameter
        var testDescription: String { "\(method).\(parameter.name)" }
    }

    static let cases: [Case] = InterfaceTests.account.methods.sorted { $0.key < $1.key }
        .flatMap { method, parameters in
            parameters.map { Case(method: method, parameter: $0) }
        }

    static let wrongValues = [
        "string": ["1", "true", "[]", "{}", "1.5", #"["x"]"#],
        "int": [
            #""1""#, "true", "[]", "{}", "1.5", "1e3", "1.0", "9223372036854775808",
            "-9223372036854775809", "123456789012345678901234567890",
        ],
        "bool": ["0", "1", #""true""#, "[]", "{}"],
    ]

    /// What else a call needs for the parameter to be looked at.
    static func parameters(_ one: Case, _ value: String) -> String {
        var fields = ["\"\(one.parameter.name)\":\(value)"]
        if one.method == "Login" {
            for (name, other) in [
                ("access_token", #""2.00new""#), ("uid", #""1234567890""#),
                ("expires_at", "1700009999"),
            ] where name != one.parameter.name {
                // A life and a date exclude each other.
                if name == "expires_at", value != "null",
                    ["expires_in", "issued_at"].contains(one.parameter.name)
                {
                    continue
                }
                fields.append("\"\(name)\":\(other)")
            }
        }
        return "{\(fields.joined(separator: ","))}"
    }

    @Test("a parameter of another type is refused by its name", arguments: cases)
    func wrongType(one: Case) throws {
        let desk = try Desk.standing(.present)
        for value in try #require(Self.wrongValues[one.parameter.type]) {
            let answer = try desk.call(one.method, Self.parameters(one, value))
            #expect(answer.text == Reply.invalid(parameter: one.parameter.name), "\(value)")
            #expect(answer.verdict == .invalid)
        }
        #expect(try desk.call("GetToken").text == Reply.token)
    }

    @Test("null is as good as absent", arguments: cases)
    func null(one: Case) throws {
        let given = try Desk.standing(.present).call(one.method, Self.parameters(one, "null"))
        guard one.parameter.isOptional else {
            #expect(given.text == Reply.invalid(parameter: one.parameter.name))
            return
        }
        let without = Self.parameters(one, "null")
            .replacing("\"\(one.parameter.name)\":null,", with: "")
            .replacing("\"\(one.parameter.name)\":null", with: "")
        #expect(given.text == (try Desk.standing(.present).call(one.method, without).text))
        let name = one.parameter.name
        guard name != "expires_at" else { return }
        #expect(given.text.hasPrefix(#"{"parameters":"#), "\(given.text)")
    }

    @Test("a parameter given twice ends the connection", arguments: cases)
    func duplicate(one: Case) throws {
        let desk = try Desk.standing(.present)
        let name = one.parameter.name
        for second in [name, "\\u00" + String(name.utf8.first ?? 0, radix: 16) + name.dropFirst()] {
            let answer = desk.begin(one.method, #"{"\#(name)":null,"\#(second)":null}"#)
            #expect(answer.kind == .close)
            #expect(answer.verdict == .malformed)
        }
    }

    static let names: [(spelt: String, echoed: String)] = [
        ("min_validty", "min_validty"), ("x", "x"), ("Z9.-_z", "Z9.-_z"),
        (String(repeating: "n", count: 128), String(repeating: "n", count: 128)),
        (String(repeating: "n", count: 129), ""),
        ("", ""), ("2.00abcDEF", ""), ("_x", ""), (".x", ""), ("-x", ""), ("a b", ""),
        ("a\\\"b", ""), ("n\\u0061me", "name"), ("naïve", ""), ("名", ""), ("a/b", ""), ("a\\n", ""),
        ("access_token=2.00abcDEF", ""), ("MIN_VALIDITY", "MIN_VALIDITY"),
    ]

    @Test("an unknown parameter is refused, and named as far as it is a name", arguments: names)
    func unknown(spelt: String, echoed: String) throws {
        for method in InterfaceTests.account.methods.keys {
            let desk = try Desk.standing(.present)
            let answer = try desk.call(method, #"{"\#(spelt)":1}"#)
            #expect(answer.text == Reply.invalid(parameter: echoed), "\(method)")
            #expect(try desk.call("GetToken").text == Reply.token)
        }
    }

    @Test("an unknown parameter beside known ones is refused too")
    func unknownBesideKnown() throws {
        let desk = try Desk.standing(.present)
        #expect(
            try desk.call("GetToken", #"{"min_validity":1,"min_valid":2}"#).text
                == Reply.invalid(parameter: "min_valid"))
        #expect(
            try desk.call("Logout", #"{"uid":"1","if_uid":null}"#).text
                == Reply.invalid(parameter: "uid"))
        #expect(
            try desk.call("GetToken", #"{"min_v\u0061lidity":2601}"#).text
                == Reply.error(
                    "org.accountd.Account.TokenExpired",
                    #""expires_at":1700002600,"remaining":2600"#))
    }

    static let shapes: [(String, Answer.Kind)] = [
        (#"{"method":"org.accountd.Account.GetToken"}"#, .tokenReply),
        (#"{"method":"org.accountd.Account.GetToken","parameters":null}"#, .tokenReply),
        (#"{"parameters":{},"method":"org.accountd.Account.GetToken"}"#, .tokenReply),
        (#" { "method" : "org.accountd.Account.GetToken" , "parameters" : { } } "#, .tokenReply),
        (#"{"method":"org.accountd.Account.Get\u0054oken"}"#, .tokenReply),
        (#"{"method":"org.accountd.Account.GetToken","extra":[1,{"a":2}]}"#, .tokenReply),
        (#"{"method":"org.accountd.Account.GetToken","parameters":[]}"#, .close),
        (#"{"method":"org.accountd.Account.GetToken","parameters":"x"}"#, .close),
        (#"{"method":"org.accountd.Account.GetToken","parameters":0}"#, .close),
        (#"{"method":"org.accountd.Account.GetToken","parameters":false}"#, .close),
    ]

    @Test("parameters are an object, null or absent", arguments: shapes)
    func shape(message: String, kind: Answer.Kind) throws {
        let answer = try Desk.standing(.present).send(message)
        #expect(answer.kind == kind)
        if kind == .close { #expect(answer.verdict == .malformed) }
    }

    static let validities: [(Int64, String, String)] = [
        (0, "0", "true"), (0, "1", "true"), (0, "2599", "true"), (0, "2600", "true"),
        (0, "2601", "false"), (0, "9223372036854775807", "false"), (0, "-0", "true"),
        (2599, "0", "true"), (2599, "1", "true"), (2599, "2", "false"),
        (2600, "0", "false"), (2601, "0", "false"), (9_000_000_000, "0", "false"),
        (-1_700_000_000, "1700002600", "true"), (-1_700_000_000, "1700002601", "false"),
    ]

    @Test("a minimum validity is compared with what is left", arguments: validities)
    func validity(passed: Int64, minimum: String, isValid: String) throws {
        let desk = try Desk.standing(.present)
        desk.now = Instant(
            realtime: desk.now.realtime + passed, boottime: desk.now.boottime + abs(passed) * 1000)
        let left = 2600 - passed
        let parameters = #"{"min_validity":\#(minimum)}"#
        #expect(
            try desk.call("CheckExpiry", parameters).text
                == Reply.ok(
                    #""valid":\#(isValid),"expires_at":1700002600,"remaining":\#(left)"#))
        let answer = try desk.call("GetToken", parameters)
        if isValid == "true" {
            #expect(answer.text == Reply.token)
            #expect(answer.kind == .tokenReply)
        } else {
            #expect(
                answer.text
                    == Reply.error(
                        "org.accountd.Account.TokenExpired",
                        #""expires_at":1700002600,"remaining":\#(left)"#))
            #expect(answer.verdict == .expired)
        }
    }

    @Test("a negative minimum validity is refused", arguments: ["-1", "-9223372036854775808"])
    func negative(minimum: String) throws {
        for state in State.allCases {
            for method in ["GetToken", "CheckExpiry"] {
                let desk = try Desk.standing(state)
                #expect(
                    try desk.call(method, #"{"min_validity":\#(minimum)}"#).text
                        == Reply.invalid(
                            field: "min_validity",
                            "must not be negative; it is a number of seconds"))
            }
        }
    }
}
