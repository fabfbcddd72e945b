import Sealing
import SecretMemory
import TestStore
import TestSupport
import Testing

@testable import AccountService

/// Secret memory that is full, at every step of every call.
///
/// An arena is filled but for so many bytes, from none to as many as the call needs: with each
/// amount the call fails honestly, or succeeds; the account that was held is held, or the new one
/// is; and not a byte of the arena stays taken.
@Suite struct ExhaustionTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let state: State
        let method: String
        var parameters = "{}"
        /// Whether another program has rotated the master key, and left the account as it was.
        var isRotated = false
        var testDescription: String { "\(method), \(state)" }
    }

    static let cases: [Case] = [
        Case(state: .empty, method: "Login", parameters: Desk.login),
        Case(state: .present, method: "Login", parameters: longLogin),
        Case(
            state: .locked, method: "Login",
            parameters: Desk.login.replacing("{", with: #"{"replace":true,"#)),
        Case(state: .present, method: "UpdateProfile", parameters: #"{"screen_name":"x"}"#),
        Case(state: .present, method: "Logout"), Case(state: .damaged, method: "Logout"),
        Case(state: .present, method: "Export"), Case(state: .present, method: "GetAccount"),
        Case(state: .present, method: "GetToken"), Case(state: .present, method: "GetStatus"),
        Case(state: .present, method: "Verify"), Case(state: .present, method: "Repair"),
        Case(state: .damaged, method: "Repair"), Case(state: .locked, method: "Repair"),
        Case(
            state: .present, method: "org.varlink.service.GetInterfaceDescription",
            parameters: #"{"interface":"org.accountd.Account"}"#),
        Case(state: .present, method: "ListSlots"),
        Case(state: .present, method: "NewRecoveryCode"),
        Case(state: .present, method: "DeriveArchiveKey", parameters: #"{"name":"drafts"}"#),
        Case(state: .present, method: "FinishRotation"),
        Case(state: .present, method: "FinishRotation", isRotated: true),
        Case(state: .present, method: "Lock"), Case(state: .shut, method: "Verify"),
        Case(state: .shut, method: "Repair"),
        Case(
            state: .shut, method: "Unlock",
            parameters: #"{"passphrase":"\#(Desk.passphrase)"}"#),
        Case(state: .shut, method: "Unlock", parameters: #"{"passphrase":"wrong"}"#),
        Case(state: .present, method: "Rotate"),
        Case(
            state: .present, method: "AddSlot",
            parameters: #"{"kind":"passphrase","passphrase":"p"}"#),
        Case(
            state: .present, method: "AddSlot",
            parameters: #"{"kind":"recovery","recovery_code":"\#(Desk.code)"}"#),
        Case(state: .empty, method: "AddSlot", parameters: #"{"kind":"keyfile"}"#),
    ]

    static let longLogin = """
        {"access_token":"\(String(repeating: "t", count: 3000))","uid":"1234567890",\
        "refresh_token":"\(String(repeating: #"\""#, count: 3000))","expires_at":1800000000}
        """

    /// Granules that are left, more of them the more there are.
    static let amounts: [Int] = {
        var amounts: [Int] = []
        var amount = 0
        while amount < 900 {
            amounts.append(amount)
            amount += amount < 40 ? 1 : amount / 12
        }
        return amounts
    }()

    @Test("a call that finds no memory fails honestly and leaves no trace", arguments: cases)
    func exhausted(one: Case) throws {
        var succeeded = false
        for amount in Self.amounts {
            let desk = try Desk.standing(
                one.state, arena: SecretArena.forTest(capacity: 128 << 10), replyCapacity: 1024)
            if one.isRotated {
                try desk.rotate()
                try desk.load()
            }
            let tokenBefore = try desk.call("GetToken").text
            let store = desk.store
            let filling = Filling(desk.arena, leaving: amount)
            let used = desk.arena.used
            let answer = try desk.call(one.method, one.parameters)
            succeeded = answer.verdict != .failed
            if !succeeded {
                #expect(Self.isHonest(answer), "\(amount): \(answer.text)")
                let isStored = answer.text.contains("is stored")
                let isChanged = answer.text.contains("the slots are changed")
                #expect(isChanged == (desk.store.slots != store.slots && !isStored), "\(amount)")
                // The same bytes as before, unless the answer says otherwise.
                let maySaveAnew = ["Logout", "Repair", "FinishRotation"].contains(one.method)
                if !isStored, !isChanged, !maySaveAnew {
                    #expect(desk.store.account == store.account, "\(amount)")
                }
                if !isStored {
                    let token = try desk.call("GetToken").text
                    #expect(token == tokenBefore, "\(amount)")
                }
                try Self.nothingStays(desk, used, one)
            }
            filling.end()
            let token = try desk.call("GetToken").text
            let started = try Desk(desk.store)
            if token != Reply.locked { try Self.unlock(started) }
            #expect(try started.call("GetToken").text == token, "\(amount)")
            #expect(try started.call("ListSlots").text == desk.call("ListSlots").text)
        }
        #expect(succeeded, "even the largest amount was too small")
    }

    /// Opens a store that wants a secret by whichever of these tests has given it.
    private static func unlock(_ desk: Desk) throws {
        for passphrase in [Desk.passphrase, "p"] where try desk.call("GetToken").verdict == .locked
        {
            _ = try desk.unlock(passphrase: passphrase)
            desk.now = Instant(
                realtime: desk.now.realtime, boottime: desk.now.boottime + 10_000)
        }
    }

    private static func nothingStays(_ desk: Desk, _ used: Int, _ one: Case) throws {
        // The reply's own buffer may have grown.
        desk.renewReply()
        #expect(desk.arena.used <= used)
    }

    private static func isHonest(_ answer: Answer) -> Bool {
        if answer.kind == .close { return true }
        return answer.text.hasPrefix(
            #"{"error":"org.accountd.Account.StoreFailed","parameters":{"errno":12,"#)
    }

    @Test("an account that is stored is said to be, though the reply finds no room")
    func storedWithoutReply() throws {
        let avatar = String(repeating: "a", count: 2000)
        let login = ChangeTests.newLogin.replacing("{", with: #"{"avatar_large":"\#(avatar)","#)
        let arena = try SecretArena.forTest(capacity: 128 << 10)
        let desk = try Desk.standing(.present, arena: arena, replyCapacity: 500)
        let begun = desk.begin("Login", login)
        #expect(begun.kind == .change)
        let filling = Filling(arena, leaving: 0)
        #expect(
            try desk.work().text
                == Reply.error(
                    "org.accountd.Account.StoreFailed",
                    #""errno":12,"message":"the account is stored, but the daemon's secret "#
                        + #"memory has no room for the reply""#))
        #expect(try desk.call("GetToken").text == ChangeTests.newToken)
        filling.end()
        #expect(try Desk(desk.store).call("GetToken").text == ChangeTests.newToken)
    }

    @Test("slots that are changed are said to be, though the reply finds no room")
    func changedWithoutReply() throws {
        let arena = try SecretArena.forTest(capacity: 128 << 10)
        // An error fits, and a reply with fifteen ids does not.
        let desk = try Desk.standing(.present, arena: arena, replyCapacity: 400)
        for _ in 0..<KeySlots.maximumRetiredKeys {
            desk.store.archiveKeys.append(try #require(desk.service.slots?.slots.current))
            #expect(try desk.call("Rotate").verdict == .answered)
        }
        desk.store.archiveKeys.removeFirst()
        desk.renewReply()
        var answer = desk.begin("FinishRotation")
        // The keys that files bear are told, and then the one that none does is forgotten.
        answer = try desk.work()
        #expect(answer.kind == .change)
        let filling = Filling(arena, leaving: 0)
        answer = try desk.work()
        #expect(
            answer.text
                == Reply.error(
                    "org.accountd.Account.StoreFailed",
                    #""errno":12,"message":"the slots are changed, but the daemon's secret "#
                        + #"memory has no room for the rest; `account doctor` says what is left "#
                        + #"to do""#))
        filling.end()
        #expect(try SlotTests.retired(desk).count == 15)
    }

    @Test("where not even the error fits the connection ends", arguments: ["GetAccount", "Login"])
    func noRoomForErrors(method: String) throws {
        let arena = try SecretArena.forTest(capacity: 128 << 10)
        let desk = try Desk.standing(.present, arena: arena, replyCapacity: 20)
        let isChange = method == "Login"
        let begun = isChange ? desk.begin(method, ChangeTests.newLogin) : nil
        desk.renewReply()
        let filling = Filling(arena, leaving: 0)
        let answer = try begun == nil ? desk.call(method) : desk.work()
        #expect(answer.kind == .close)
        #expect(answer.verdict == .failed)
        filling.end()
        #expect(
            try desk.call("GetToken").text == (isChange ? ChangeTests.newToken : Reply.token))
    }

    @Test("a store that is read without room is not called damaged")
    func loading() throws {
        let store = try Desk.standing(.present).store
        var loaded = false
        for amount in Self.amounts {
            let arena = try SecretArena.forTest(capacity: 64 << 10)
            let desk = try Desk(arena: arena, replyCapacity: 1024)
            desk.store = store
            let filling = Filling(arena, leaving: amount)
            let used = arena.used
            do {
                try desk.load()
                loaded = true
                #expect(try desk.call("GetToken").text == Reply.token)
            } catch {
                #expect(error as? SecretMemoryError == .exhausted)
                #expect(arena.used == used)
                #expect(try desk.call("GetToken").text == Reply.noAccount)
            }
            filling.end()
        }
        #expect(loaded)
    }
}

/// Takes an arena but for so many granules, which are scattered or one piece as it comes.
private final class Filling {
    private final class Granule {
        private let bytes: SecretBytes

        init(_ bytes: consuming SecretBytes) { self.bytes = bytes }
    }

    private var taken: [Granule] = []

    init(_ arena: SecretArena, leaving amount: Int) {
        while let bytes = try? arena.allocate(1) { taken.append(Granule(bytes)) }
        taken.removeLast(min(amount, taken.count))
    }

    func end() { taken.removeAll() }
}
