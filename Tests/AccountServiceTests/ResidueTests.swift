import Sealing
import SecretMemory
import TestStore
import TestSupport
import Testing

@testable import AccountService

/// Where secrets stand in the arena, and where they do not. SECURITY.md, "What is done"
@Suite struct ResidueTests {
    /// A desk whose whole arena can be looked at.
    private struct View {
        let desk: Desk
        let base: UInt

        init(_ store: FakeStore = FakeStore()) throws {
            let arena = try SecretArena.forTest(capacity: 256 << 10)
            let whole = try arena.allocate(arena.capacity)
            base = whole.withBytes { bytes in
                unsafe bytes.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
            }
            _ = consume whole
            desk = try Desk(store, arena: arena)
        }

        /// How often a secret stands there.
        func count(_ secret: some Sequence<UInt8>) -> Int {
            let secret = Array(secret)
            guard let start = unsafe UnsafeRawPointer(bitPattern: base) else { return -1 }
            // SAFETY: the arena is mapped while the desk lives.
            let memory = unsafe UnsafeRawBufferPointer(start: start, count: desk.arena.capacity)
            var count = 0
            for offset in 0...(memory.count - secret.count)
            where unsafe memory[offset] == secret[0] {
                if unsafe memory[offset..<(offset + secret.count)].elementsEqual(secret) {
                    count += 1
                }
            }
            return count
        }

        func count(_ secret: String) -> Int { count(secret.utf8) }

        /// Whether nothing but zeros stands there.
        var isBlank: Bool {
            guard let start = unsafe UnsafeRawPointer(bitPattern: base) else { return false }
            // SAFETY: the arena is mapped while the desk lives.
            let memory = unsafe UnsafeRawBufferPointer(start: start, count: desk.arena.capacity)
            return unsafe memory.allSatisfy { $0 == 0 }
        }
    }

    private static let token = "2.00SECRETaccesstoken"
    private static let refresh = "2.00SECRETrefreshtoken"
    private static let login = """
        {"access_token":"\(token)","refresh_token":"\(refresh)","uid":"7","expires_at":1800000000}
        """

    @Test("each token stands once while the account is held, and nowhere afterwards")
    func once() throws {
        let view = try View()
        let desk = view.desk
        func expect(_ times: Int, _ what: String) {
            #expect(view.count(Self.token) == times, "\(what)")
            #expect(view.count(Self.refresh) == times, "\(what)")
        }
        _ = try desk.call("Login", Self.login)
        expect(1, "after a login")
        for method in [
            "GetToken", "GetAccount", "GetStatus", "CheckExpiry", "Export", "Verify", "Repair",
            "UpdateProfile",
        ] {
            #expect(try desk.call(method).kind != .close)
            expect(1, "after \(method)")
        }
        _ = try desk.call("Login", Self.login)
        expect(1, "after the same login")
        _ = try desk.call("Logout")
        expect(0, "after a logout")
        let next = try View(try Desk.store(after: Self.login))
        #expect(next.count(Self.token) == 1)
        #expect(next.count(Self.refresh) == 1)
    }

    @Test("an account that is replaced leaves nothing")
    func replaced() throws {
        let view = try View()
        _ = try view.desk.call("Login", Self.login)
        let other = #"{"access_token":"2.00other","uid":"8","expires_in":9,"replace":true}"#
        let begun = view.desk.begin("Login", other)
        #expect(view.count(Self.token) == 1)
        #expect(view.count("2.00other") == 1)
        _ = try view.desk.complete(begun)
        #expect(view.count(Self.token) == 0)
        #expect(view.count(Self.refresh) == 0)
        #expect(view.count("2.00other") == 1)
    }

    static let refusedLogins = [
        login.replacing("{", with: #"{"screen_name":"\#(String(repeating: "n", count: 300))","#),
        login.replacing("{", with: #"{"surprise":1,"#), login.replacing("7", with: "x"),
        login.replacing("1800000000", with: "-1"), login.replacing("}", with: ""),
        login.replacing("7", with: "9"),
    ]

    @Test("a login that is refused leaves nothing", arguments: refusedLogins)
    func refused(parameters: String) throws {
        let view = try View()
        _ = try view.desk.call(
            "Login", #"{"access_token":"2.00other","uid":"7","expires_in":9}"#)
        let answer = try view.desk.call("Login", parameters)
        #expect(answer.verdict != .answered)
        #expect(view.count(Self.token) == 0)
        #expect(view.count(Self.refresh) == 0)
        #expect(view.count("2.00other") == 1)
    }

    @Test("a login that could not be stored leaves nothing")
    func unstored() throws {
        let view = try View()
        view.desk.store.failsAt = .account
        _ = try view.desk.call("Login", Self.login)
        #expect(view.count(Self.token) == 0)
        #expect(view.count(Self.refresh) == 0)
        #expect(view.desk.arena.used == 4096)
    }

    @Test("the key file stands in memory no longer than it is needed")
    func keyFile() throws {
        let view = try View()
        for step in ["Login", "Verify", "Repair"] {
            _ = try view.desk.call(step, step == "Login" ? Self.login : "{}")
            guard case .bytes(let key) = view.desk.store.key else {
                Issue.record("no key file")
                return
            }
            #expect(view.count(key) == 0, "\(step)")
        }
        let started = try View(view.desk.store)
        guard case .bytes(let key) = view.desk.store.key else { return }
        #expect(started.count(key) == 0)
    }

    @Test("a locked store leaves neither token nor secret, and neither does any attempt to open it")
    func locked() throws {
        let view = try View()
        let desk = view.desk
        let passphrase = "SECRET passphrase of a test"
        let secrets = [
            Self.token, Self.refresh, passphrase, "WRONG passphrase of a test", Desk.code,
            Desk.code.replacing("-", with: ""),
        ]
        func expectNone(_ what: String, besides kept: [String] = []) {
            for secret in secrets where !kept.contains(secret) {
                #expect(view.count(secret) == 0, "\(what)")
            }
            // The code's bytes are 0, 1, 2 and so on.
            #expect(view.count((0..<20).map { UInt8($0) }) == 0, "\(what)")
        }
        let tokens = [Self.token, Self.refresh]
        _ = try desk.call("Login", Self.login)
        try desk.add(passphrase: passphrase)
        expectNone("a passphrase was added", besides: tokens)
        try desk.addCode()
        expectNone("a code was added", besides: tokens)
        for method in ["Rotate", "ListSlots", "NewRecoveryCode", "FinishRotation"] {
            #expect(try desk.call(method).verdict == .answered)
            expectNone(method, besides: tokens)
        }
        #expect(view.count(Self.token) == 1)
        _ = try desk.call("Lock")
        expectNone("locked")
        // Neither the master key nor anything else.
        #expect(view.isBlank)
        _ = try desk.unlock(passphrase: "WRONG passphrase of a test")
        desk.pass(seconds: 1)
        expectNone("a wrong passphrase")
        #expect(view.isBlank)
        _ = try desk.unlock(passphrase: passphrase)
        #expect(view.count(Self.token) == 1)
        expectNone("unlocked", besides: tokens)
        let slots = desk.store.slots
        _ = try desk.call("Lock")
        desk.store.failsAt = .reading
        _ = try desk.unlock(code: Desk.code)
        expectNone("a code, and nothing was read")
        desk.store.failsAt = nil
        _ = try desk.unlock(code: Desk.code)
        expectNone("unlocked by a code", besides: tokens)
        // Not while they wait, either, but for the one place where a derivation has it.
        _ = try desk.call("Lock")
        let begun = desk.begin("Unlock", #"{"passphrase":"\#(passphrase)"}"#)
        #expect(view.count(passphrase) == 1)
        expectNone("a derivation", besides: [passphrase])
        _ = try desk.complete(begun)
        expectNone("unlocked again", besides: tokens)
        #expect(desk.store.slots == slots)
    }

    @Test("the key of an archive leaves nothing, and neither does a name that is none")
    func archiveKey() throws {
        let view = try View()
        let desk = view.desk
        _ = try desk.call("Login", Self.login)
        try desk.add(passphrase: "p")
        let used = desk.arena.used
        let name = "SECRET name of an archive"
        let id = try #require(desk.service.slots?.slots.current)
        desk.store.archiveKeys = [id]
        for parameters in [
            #"{"name":"\#(name)"}"#, #"{"name":"\#(name)","key_id":"\#(id)"}"#,
            #"{"name":"\#(name)","key_id":"\#(ArchiveKeyTests.noKey)"}"#,
            #"{"name":"\#(name)","key_id":"SECRET token in the wrong place"}"#,
            #"{"name":"\#(String(repeating: name, count: 9))"}"#,
        ] {
            for rotates in [false, true] {
                if rotates { _ = try desk.call("Rotate") }
                let text = try desk.call("DeriveArchiveKey", parameters).text
                #expect(view.count(name) == 0)
                #expect(view.count("SECRET token in the wrong place") == 0)
                #expect(desk.arena.used == used)
                guard let match = text.firstMatch(of: /[0-9a-f]{64}/) else { continue }
                let digits = Array(match.output)
                let key = stride(from: 0, to: 64, by: 2).map {
                    UInt8(String(digits[$0...($0 + 1)]), radix: 16) ?? 0
                }
                #expect(view.count(String(digits)) == 0)
                #expect(view.count(key) == 0)
            }
        }
        _ = try desk.call("Lock")
        #expect(view.isBlank)
    }

    @Test("a token can be found where it stands, else these tests show nothing")
    func canFail() throws {
        let view = try View()
        var bytes = try view.desk.arena.allocate(64)
        bytes.withMutableBytes { bytes in
            for (position, byte) in Self.token.utf8.enumerated() { bytes[position] = byte }
        }
        #expect(view.count(Self.token) == 1)
    }
}

extension Desk {
    /// The store after a login.
    static func store(after login: String) throws -> FakeStore {
        let desk = try Desk()
        _ = try desk.call("Login", login)
        return desk.store
    }
}
