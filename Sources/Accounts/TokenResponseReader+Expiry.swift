import JSON

// When it expires. See TokenResponse.Supplement for who wins.
extension TokenResponseReader {
    /// Digits of a life written as a string; no more are looked at.
    private static let maximumDigits = 1024

    private enum Granted {
        case none
        case seconds(Int64)
        case unusable(TokenResponseError)
    }

    mutating func expiry(_ text: Span<UInt8>) throws(TokenResponseError) -> Expiry {
        try checkGiven()
        let issuedAt = supplement.issuedAt ?? supplement.receivedAt
        let granted = try granted(text)
        let isGiven = supplement.expiresIn != nil || supplement.expiresAt != nil
        switch granted {
        case .seconds(let seconds): return try expiry(granting: seconds, at: issuedAt)
        case .unusable(let error):
            guard isGiven, error != .alreadyExpired else { throw error }
            warnings.append("expires_in is not usable; the expiry given is used instead")
        case .none:
            guard isGiven else { throw .expiryUnknown(lookalike(text)) }
        }
        if let seconds = supplement.expiresIn { return try Self.expiry(seconds, issuedAt) }
        return try givenDate()
    }

    private func checkGiven() throws(TokenResponseError) {
        if let seconds = supplement.expiresIn, AccountField.check(expiresIn: seconds) != nil {
            throw .badGiven(.expiresIn, option: "--expires-in")
        }
        if let time = supplement.expiresAt, AccountField.check(expiresAt: time) != nil {
            throw .badGiven(.expiresAt, option: "--expires-at")
        }
        if let time = supplement.issuedAt, AccountField.check(issuedAt: time) != nil {
            throw .badGiven(.issuedAt, option: "--issued-at")
        }
        if supplement.expiresIn != nil && supplement.expiresAt != nil { throw .givenTwice }
    }

    // The response grants a life. A date beside it moves the time of issue back, never forth.
    private func expiry(
        granting seconds: Int64, at issuedAt: Int64
    ) throws(TokenResponseError) -> Expiry {
        if let given = supplement.expiresIn, given != seconds { throw .expiryMismatch }
        let expiry = try Self.expiry(seconds, issuedAt)
        guard let date = supplement.expiresAt, date != expiry.expiresAt else { return expiry }
        guard supplement.issuedAt == nil, date < expiry.expiresAt else { throw .expiryMismatch }
        guard date > seconds else { throw .expiryMismatch }
        return try Self.expiry(seconds, date - seconds)
    }

    // A date alone; with the time of issue it says the life that was granted, too.
    private func givenDate() throws(TokenResponseError) -> Expiry {
        guard let date = supplement.expiresAt else { throw .expiryUnknown(.none) }
        guard let issuedAt = supplement.issuedAt else {
            do { return try Expiry(expiresAt: date) } catch { throw .expiresAtOutOfRange }
        }
        guard date > issuedAt else { throw .givenExpired }
        guard AccountField.check(expiresIn: date - issuedAt) == nil else { throw .givenTooLong }
        return try Self.expiry(date - issuedAt, issuedAt)
    }

    private static func expiry(
        _ seconds: Int64, _ issuedAt: Int64
    ) throws(TokenResponseError) -> Expiry {
        do {
            return try Expiry(expiresIn: seconds, issuedAt: issuedAt)
        } catch {
            throw error == .invalid(.expiresIn)
                ? .expiresInOutOfRange(seconds) : .expiresAtOutOfRange
        }
    }

    private func granted(_ text: Span<UInt8>) throws(TokenResponseError) -> Granted {
        guard let node = value("expires_in", text) else { return .none }
        switch index.kind(of: node) {
        case .number:
            // Down to whole seconds, so that it never says more than was granted.
            switch index.truncatedInteger(node, in: text) {
            case .value(let seconds): return Self.granted(seconds)
            case .outOfRange:
                let isNegative = text[index.range(of: node).lowerBound] == UInt8(ascii: "-")
                return .unusable(isNegative ? .alreadyExpired : .expiresInOutOfRange(nil))
            }
        case .string:
            let digits = try string(node, upTo: Self.maximumDigits, text)
            return digits.map(Self.granted) ?? .unusable(.badExpiresIn)
        default: return .unusable(.badExpiresIn)
        }
    }

    // Digits alone: no sign, no space, no exponent, which a prefix parser would read past.
    private static func granted(digits: String) -> Granted {
        var seconds: Int64 = 0
        var overflows = false
        for byte in digits.utf8 {
            guard AccountField.isDigit(byte) else { return .unusable(.badExpiresIn) }
            let (tens, tensOverflow) = seconds.multipliedReportingOverflow(by: 10)
            let (sum, sumOverflows) = tens.addingReportingOverflow(Int64(byte - 0x30))
            overflows = overflows || tensOverflow || sumOverflows
            seconds = sum
        }
        if digits.isEmpty { return .unusable(.badExpiresIn) }
        return overflows ? .unusable(.expiresInOutOfRange(nil)) : granted(seconds)
    }

    private static func granted(_ seconds: Int64) -> Granted {
        if seconds <= 0 { return .unusable(.alreadyExpired) }
        return AccountField.check(expiresIn: seconds) == nil
            ? .seconds(seconds) : .unusable(.expiresInOutOfRange(seconds))
    }

    private func lookalike(_ text: Span<UInt8>) -> ExpiryLookalike {
        for name: StaticString in [
            "expires_at", "expires_date", "expiresDate", "expiresTime", "expires_time",
            "expireDate",
            "expirationDate",
        ] where has(name, text) {
            return .date
        }
        if has("remind_in", text) { return .remindIn }
        return has("expire_in", text) ? .expireIn : .none
    }
}
