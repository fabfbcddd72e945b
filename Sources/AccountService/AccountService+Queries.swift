import Accounts
import JSON
import SecretMemory
import Varlink

extension AccountService {
    mutating func checkExpiry(
        _ call: Call, _ text: Span<UInt8>, _ now: Instant, _ reply: inout SecretBuffer
    ) throws(Refusal) {
        let minimum = try minimumValidity(call, text)
        let remaining = try self.remaining(at: now)
        let expiresAt = held?.profile.expiry.expiresAt ?? 0
        try write(&reply) { writer, out throws(SecretMemoryError) in
            try writer.field("valid", remaining > 0 && remaining >= minimum, &out)
            try writer.field("expires_at", expiresAt, &out)
            try writer.field("remaining", remaining, &out)
        }
    }

    mutating func getStatus(
        _ call: Call, _ text: Span<UInt8>, _ caller: Caller, _ now: Instant,
        _ reply: inout SecretBuffer
    ) throws(Refusal) {
        try Parameters(of: call).refuseOthers(besides: [], index, text)
        // Whoever asks how the clock stands looks at it, too.
        _ = watch?.remaining(at: now)
        let clock = watch?.clock(at: now) ?? .steady
        let protection = slots?.slots.protection ?? []
        try write(&reply) { writer, out throws(SecretMemoryError) in
            try writer.openObject("status", &out)
            try writer.field("state", standing.name, &out)
            try writer.field("version", surroundings.version, &out)
            try writer.field("protection", protection, &out)
            try writer.field("memory", surroundings.memory, &out)
            try writer.field("locked_bytes", surroundings.lockedBytes, &out)
            try writer.field("clock", clock.rawValue, &out)
            try writer.field("connections", Int64(caller.connections), &out)
            try writer.field("lock_after_idle", optional: surroundings.lockTimes.afterIdle, &out)
            try writer.field("lock_after", optional: surroundings.lockTimes.after, &out)
            try writer.field("role", caller.role.name, &out)
            try writer.closeObject(&out)
        }
    }

    mutating func getAccount(
        _ call: Call, _ text: Span<UInt8>, _ now: Instant, _ reply: inout SecretBuffer
    ) throws(Refusal) {
        try Parameters(of: call).refuseOthers(besides: [], index, text)
        try replyWithAccount(now, &reply)
        usedAt = now.boottime
    }

    mutating func export(
        _ call: Call, _ text: Span<UInt8>, _ now: Instant, _ reply: inout SecretBuffer
    ) throws(Refusal) {
        try Parameters(of: call).refuseOthers(besides: [], index, text)
        let remaining = try self.remaining(at: now)
        do throws(SecretMemoryError) {
            var writer = try MessageWriter.beginReply(&reply)
            try writeTokens(&writer, &reply)
            try writeAccount(&writer, remaining, &reply)
            try writer.end(&reply)
        } catch { throw .memory(error) }
        usedAt = now.boottime
    }

    /// The reply of a call that has nothing to say but that it is done.
    func writeNothing(_ reply: inout SecretBuffer) throws(Refusal) {
        do throws(SecretMemoryError) {
            try MessageWriter.beginReply(&reply).end(&reply)
        } catch { throw .memory(error) }
    }

    /// The reply of every method that gives back the account.
    mutating func replyWithAccount(
        _ now: Instant, _ reply: inout SecretBuffer
    ) throws(Refusal) {
        let remaining = try self.remaining(at: now)
        do throws(SecretMemoryError) {
            var writer = try MessageWriter.beginReply(&reply)
            try writeAccount(&writer, remaining, &reply)
            try writer.end(&reply)
        } catch { throw .memory(error) }
    }

    /// Seconds left; says why where there is no account to speak of.
    mutating func remaining(at now: Instant) throws(Refusal) -> Int64 {
        guard let remaining = watch?.remaining(at: now) else {
            switch standing {
            case .empty, .present: throw .noAccount
            case .locked: throw .locked
            case .damaged(let what): throw .storeDamaged(what)
            }
        }
        return remaining
    }

    func minimumValidity(_ call: Call, _ text: Span<UInt8>) throws(Refusal) -> Int64 {
        guard call.parameters != nil else { return 0 }
        var parameters = Parameters(of: call)
        let minimum = try parameters.integer("min_validity", index, text) ?? 0
        try parameters.refuseOthers(besides: ["min_validity"], index, text)
        guard minimum >= 0 else {
            throw .invalidField("min_validity", "must not be negative; it is a number of seconds")
        }
        return minimum
    }

    private func writeTokens(
        _ writer: inout MessageWriter, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        switch held {
        case .none: return
        case .some(let held):
            let token = try held.copyToken(arena: arena)
            try writer.field("access_token", secret: token, &out)
            switch held.profile.refreshToken {
            case .none: return
            case .some(let token): try writer.field("refresh_token", secret: token, &out)
            }
        }
    }

    private func writeAccount(
        _ writer: inout MessageWriter, _ remaining: Int64, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        switch held {
        case .some(let held): try Self.write(held.profile, remaining, &writer, &out)
        case .none: return
        }
    }

    private static func write(
        _ profile: borrowing UserAccount, _ remaining: Int64, _ writer: inout MessageWriter,
        _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        let expiry = profile.expiry
        try writer.openObject("account", &out)
        try writer.field("uid", profile.uid, &out)
        try writer.field("screen_name", optional: profile.screenName, &out)
        try writer.field("avatar_large", optional: profile.avatarLarge, &out)
        try writer.field("expires_in", optional: expiry.expiresIn, &out)
        try writer.field("issued_at", optional: expiry.issuedAt, &out)
        try writer.field("expires_at", expiry.expiresAt, &out)
        try writer.field("expires_date", CivilTime.rfc3339(expiry.expiresAt), &out)
        try writer.field("expired", remaining <= 0, &out)
        try writer.field("remaining", remaining, &out)
        try writer.field("refused", optional: profile.refused, &out)
        try writer.closeObject(&out)
    }

    private func write(
        _ reply: inout SecretBuffer,
        _ body: (inout MessageWriter, inout SecretBuffer) throws(SecretMemoryError) -> Void
    ) throws(Refusal) {
        do throws(SecretMemoryError) {
            var writer = try MessageWriter.beginReply(&reply)
            try body(&writer, &reply)
            try writer.end(&reply)
        } catch { throw .memory(error) }
    }
}
