import JSON
import Sealing
import SecretMemory
import Varlink

/// Why a call is not answered with what it asked for: one case for each error of the interface.
enum Refusal: Error {
    case invalidParameter(StaticString)
    case unknownParameter(JSONIndex.Node)
    case invalidField(StaticString, String)
    case noAccount
    case tokenExpired(expiresAt: Int64, remaining: Int64)
    case locked
    case accountExists(String)
    case storeDamaged(String)
    case storeFailed(errno: Int32, message: String)
    /// Times are milliseconds of boot time, and milliseconds.
    case wrongKey(answeredAt: Int64, retryAfter: Int64)
    case opensByItself([String])
    case noSuchSlot(String)
    case noSuchKey(MasterKeyID)
    case lastSlot
    case tooManySlots
    case tooManyRetiredKeys
    case permissionDenied
    case memory(SecretMemoryError)

    /// What the system says where secret memory is full. errno(3), ENOMEM
    static let outOfMemory: Int32 = 12

    var verdict: Verdict {
        switch self {
        case .invalidParameter, .unknownParameter, .invalidField: .invalid
        case .noAccount: .noAccount
        case .tokenExpired: .expired
        case .locked: .locked
        case .accountExists: .accountExists
        case .storeDamaged: .damaged
        case .storeFailed, .memory: .failed
        case .permissionDenied: .denied
        case .wrongKey: .wrongKey
        case .opensByItself, .noSuchSlot, .noSuchKey: .refused
        case .lastSlot, .tooManySlots, .tooManyRetiredKeys: .refused
        }
    }

    /// What a caller of that role is told: whoever may not ask whose account it is does not learn it
    /// from what is wrong with the store.
    func told(to role: Role) -> Refusal {
        guard role < .reader, case .storeDamaged = self else { return self }
        return .storeDamaged("the store needs repair, of which its owner is told more")
    }

    /// Writes the error reply.
    func write(
        _ index: borrowing JSONIndex, _ text: Span<UInt8>, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        switch self {
        case .invalidParameter(let name):
            try StandardError.invalidParameter(name, &out)
        case .unknownParameter(let node):
            try StandardError.invalidParameter(named: node, index, text, &out)
        default:
            try writeOwn(&out)
        }
    }

    /// Writes the error reply of a refusal that points at nothing in the call.
    func writeOwn(_ out: inout SecretBuffer) throws(SecretMemoryError) {
        switch self {
        case .invalidParameter, .unknownParameter:
            try StandardError.invalidParameter("parameters", &out)
        case .permissionDenied:
            try StandardError.permissionDenied(&out)
        case .invalidField(let field, let reason):
            var reply = try MessageWriter.beginError("org.accountd.Account.InvalidField", &out)
            try reply.name("field", &out)
            try out.appendJSONString(field)
            try reply.field("reason", reason, &out)
            try reply.end(&out)
        case .noAccount:
            try MessageWriter.beginError("org.accountd.Account.NoAccount", &out).end(&out)
        case .tokenExpired(let expiresAt, let remaining):
            var reply = try MessageWriter.beginError("org.accountd.Account.TokenExpired", &out)
            try reply.field("expires_at", expiresAt, &out)
            try reply.field("remaining", remaining, &out)
            try reply.end(&out)
        case .locked:
            try MessageWriter.beginError("org.accountd.Account.Locked", &out).end(&out)
        case .accountExists(let uid):
            var reply = try MessageWriter.beginError("org.accountd.Account.AccountExists", &out)
            try reply.field("uid", uid, &out)
            try reply.end(&out)
        case .storeDamaged(let what):
            var reply = try MessageWriter.beginError("org.accountd.Account.StoreDamaged", &out)
            try reply.field("what", what, &out)
            try reply.end(&out)
        case .wrongKey(_, let retryAfter):
            var reply = try MessageWriter.beginError("org.accountd.Account.WrongKey", &out)
            try reply.field("retry_after_ms", retryAfter, &out)
            try reply.end(&out)
        case .opensByItself(let protection):
            var reply = try MessageWriter.beginError("org.accountd.Account.OpensByItself", &out)
            try reply.field("protection", protection, &out)
            try reply.end(&out)
        case .noSuchSlot(let id):
            var reply = try MessageWriter.beginError("org.accountd.Keys.NoSuchSlot", &out)
            try reply.field("id", id, &out)
            try reply.end(&out)
        case .noSuchKey(let id):
            var reply = try MessageWriter.beginError("org.accountd.Keys.NoSuchKey", &out)
            try reply.field("key_id", id.description, &out)
            try reply.end(&out)
        case .lastSlot:
            try MessageWriter.beginError("org.accountd.Keys.LastSlot", &out).end(&out)
        case .tooManySlots:
            try MessageWriter.beginError("org.accountd.Keys.TooManySlots", &out).end(&out)
        case .tooManyRetiredKeys:
            try MessageWriter.beginError("org.accountd.Keys.TooManyRetiredKeys", &out).end(&out)
        case .storeFailed(let number, let message):
            try Self.writeFailure(number, message, &out)
        case .memory:
            try Self.writeFailure(
                Self.outOfMemory,
                "the daemon's secret memory is full; try again when fewer calls are under way",
                &out)
        }
    }

    private static func writeFailure(
        _ number: Int32, _ message: String, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        var reply = try MessageWriter.beginError("org.accountd.Account.StoreFailed", &out)
        try reply.field("errno", Int64(number), &out)
        try reply.field("message", message, &out)
        try reply.end(&out)
    }
}
