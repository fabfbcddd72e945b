import AccountService
import TestStore
import Testing
import Varlink

@Suite struct InterfaceTests {
    static let account = InterfaceFile(AccountService.interfaceDescription)
    static let keys = InterfaceFile(AccountService.keysDescription)
    static let service = InterfaceFile(ServiceInterface.ownDescription)

    @Test("the interface file lists exactly the methods that are served")
    func methods() {
        let listed = [Self.account, Self.keys, Self.service].flatMap { file in
            file.methods.keys.map { "\(file.name).\($0)" }
        }
        #expect(Set(listed) == Set(Method.allCases.map { "\($0.name)" }))
        #expect(listed.count == Method.allCases.count)
    }

    @Test(
        "the interface file says of each method who may call it",
        arguments: [AccountService.interfaceDescription, AccountService.keysDescription])
    func callers(text: String) {
        let file = InterfaceFile(text)
        var said: [String: String] = [:]
        var callers = ""
        for line in text.split(separator: "\n") {
            if line.hasPrefix("# Callers: ") {
                callers = String(line.dropFirst("# Callers: ".count).dropLast())
            } else if line.hasPrefix("method ") {
                said[String(line.dropFirst("method ".count).prefix { $0 != "(" })] = callers
                callers = ""
            }
        }
        for method in Method.allCases where "\(method.name)".hasPrefix(file.name) {
            let name = String("\(method.name)".dropFirst(file.name.count + 1))
            let roles = [Role.owner, .reader, .observer].filter { $0 >= method.requiredRole }
            #expect(said[name] == roles.map(\.name).joined(separator: ", "))
        }
        #expect(said.count == file.methods.count)
    }

    @Test("the protocol's methods have the parameters that were agreed")
    func parameters() {
        let expected = [
            "GetStatus": "", "GetAccount": "", "GetToken": "min_validity:?int",
            "CheckExpiry": "min_validity:?int",
            "Login": "access_token:string uid:string expires_in:?int issued_at:?int "
                + "expires_at:?int screen_name:?string avatar_large:?string "
                + "refresh_token:?string replace:?bool",
            "UpdateProfile": "screen_name:?string avatar_large:?string",
            "Logout": "if_uid:?string", "Export": "", "Verify": "", "Repair": "", "Lock": "",
            "Unlock": "passphrase:?string recovery_code:?string",
        ]
        #expect(Self.parameters(Self.account) == expected)
        let kinds = "(passphrase, credential, keyfile, recovery)"
        let ofKeys = [
            "ListSlots": "",
            "AddSlot": "kind:\(kinds) passphrase:?string recovery_code:?string "
                + "keep_keyfile:?bool",
            "RemoveSlot": "id:string rotate:?bool", "Rotate": "", "NewRecoveryCode": "",
            "DeriveArchiveKey": "name:string key_id:?string", "FinishRotation": "",
        ]
        #expect(Self.parameters(Self.keys) == ofKeys)
    }

    private static func parameters(_ file: InterfaceFile) -> [String: String] {
        file.methods.mapValues { parameters in
            parameters.map { "\($0.name):\($0.isOptional ? "?" : "")\($0.type)" }
                .joined(separator: " ")
        }
    }

    @Test("the interface file describes itself to whoever asks")
    func description() throws {
        let desk = try Desk()
        let method = "org.varlink.service.GetInterfaceDescription"
        for (name, text) in [
            ("org.accountd.Account", AccountService.interfaceDescription),
            ("org.accountd.Keys", AccountService.keysDescription),
            ("org.varlink.service", ServiceInterface.ownDescription),
        ] {
            let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
                .replacing("\n", with: "\\n")
            #expect(
                try desk.call(method, #"{"interface":"\#(name)"}"#, as: .observer).text
                    == Reply.ok(#""description":"\#(escaped)""#))
            // However a writer of JSON spells the name.
            let spelt = name.replacing(".", with: #"\u002e"#)
            #expect(
                try desk.call(method, #"{"interface":"\#(spelt)"}"#).text
                    == Reply.ok(#""description":"\#(escaped)""#))
        }
    }

    static let refusals: [(String, String)] = [
        ("{}", Reply.invalid(parameter: "interface")),
        (#"{"interface":null}"#, Reply.invalid(parameter: "interface")),
        (#"{"interface":1}"#, Reply.invalid(parameter: "interface")),
        (
            #"{"interface":"org.example"}"#,
            Reply.error("org.varlink.service.InterfaceNotFound", #""interface":"org.example""#)
        ),
        (
            #"{"interface":"2.00abcDEF"}"#,
            Reply.error("org.varlink.service.InterfaceNotFound", #""interface":"""#)
        ),
        (
            #"{"interface":"org.varlink.servicf"}"#,
            Reply.error(
                "org.varlink.service.InterfaceNotFound", #""interface":"org.varlink.servicf""#)
        ),
        (
            #"{"interface":"org.varlink.service","more":1}"#, Reply.invalid(parameter: "more")
        ),
    ]

    @Test("a description that is not there is refused", arguments: refusals)
    func refused(parameters: String, reply: String) throws {
        let desk = try Desk()
        let answer = try desk.call("org.varlink.service.GetInterfaceDescription", parameters)
        #expect(answer.text == reply)
        #expect(answer.verdict == .invalid)
    }

    @Test("the service's own facts take no parameters")
    func infoWithParameters() throws {
        let desk = try Desk()
        let answer = try desk.call("org.varlink.service.GetInfo", #"{"interface":"x"}"#)
        #expect(answer.text == Reply.invalid(parameter: "interface"))
    }

    @Test("every error that is sent is declared, with the parameters that it has")
    func errors() throws {
        for (_, _, replies) in MethodTests.replies {
            for reply in replies where reply.hasPrefix(#"{"error""#) { try declared(reply) }
        }
        try declared(Reply.invalid(field: "uid", "x"))
        try declared(Reply.memory)
        try declared(Reply.invalid(parameter: "x"))
        try declared(Reply.denied)
        for reply in [
            Reply.wrongKey(500), Reply.opensByItself, Reply.lastSlot, Reply.tooManySlots,
            Reply.tooManyRetiredKeys, Reply.noSuchSlot("0"), Reply.noSuchKey("0"),
        ] {
            try declared(reply)
        }
    }

    private func declared(_ reply: String) throws {
        let name = try #require(reply.split(separator: "\"").dropFirst(2).dropFirst().first)
        let file = try #require(
            [Self.account, Self.keys, Self.service].first { name.hasPrefix($0.name + ".") })
        let error = String(name.dropFirst(file.name.count + 1))
        let parameters = try #require(file.errors[error], "\(error)")
        for parameter in parameters { #expect(reply.contains(#""\#(parameter.name)":"#)) }
    }
}
