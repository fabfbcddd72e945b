import Accounts
import PropertyList

// When it expires: of the date, the life and the time of issue two say the third.
extension AccountFields {
    /// A number that is a point in time: from here on seconds since 1970, that is 2001.
    static let leastSeconds = 1e9
    /// From here on milliseconds since 1970, that is 1973.
    static let leastMilliseconds = 1e11
    /// The same of Android's `expires_in`, which some versions of its SDK fill with the life that
    /// was granted, in seconds: 2001.
    static let leastAndroidMilliseconds: Int64 = 1_000_000_000_000

    /// What a value says of a point in time.
    private enum Moment {
        case none, unusable
        /// Seconds since 1970, whole ones, down.
        case time(Int64)
        /// A number that is too small for one.
        case duration
    }

    /// What a file says.
    private struct Said {
        var date: Int64?
        var life: Int64?
        var issue: Int64?
        // Whether a number stood in the place of a date.
        var hasDuration = false
        // What is wrong with a date, and with the life.
        var dateError: ImportError?
        var error: ImportError?
    }

    func expiry(
        of account: Object, _ supplement: ImportSupplement, in bytes: Span<UInt8>
    ) throws(ImportError) -> Expiry {
        try check(supplement)
        let said = try said(of: account, in: bytes)
        if supplement.expiresAt == nil, let error = said.dateError { throw error }
        for (own, given) in [
            (said.date, supplement.expiresAt), (said.life, supplement.expiresIn),
            (said.issue, supplement.issuedAt),
        ] where own != nil && given != nil && own != given {
            throw .expiryMismatch
        }
        let isGiven =
            supplement.expiresAt != nil || supplement.expiresIn != nil || supplement.issuedAt != nil
        let date = said.date ?? supplement.expiresAt
        var life = said.life ?? supplement.expiresIn
        var issue = said.issue ?? supplement.issuedAt
        guard let date else { return try derived(life, issue, said, supplement) }
        // Only what the command line says is reason to work out the third: what an app has stored
        // beside its date may be as it was before it asked for another token.
        if isGiven, let known = life, issue == nil, supplement.expiresIn != nil {
            issue = date - known
        }
        if isGiven, let known = issue, life == nil, supplement.issuedAt != nil {
            life = date - known
        }
        if let life, let issue {
            if let expiry = try? Expiry(expiresIn: life, issuedAt: issue), expiry.expiresAt == date
            {
                return expiry
            }
            let isSaid = said.date != nil || said.life != nil || said.issue != nil
            if isGiven { throw isSaid ? .expiryMismatch : .givenTwice }
        }
        do { return try Expiry(expiresAt: date) } catch { throw .expiresAtOutOfRange }
    }

    private func check(_ supplement: ImportSupplement) throws(ImportError) {
        if let life = supplement.expiresIn, AccountField.check(expiresIn: life) != nil {
            throw .expiresInOutOfRange
        }
    }

    // No date: the life from the time of issue on. That is never taken for now, unless the life is
    // told on the command line.
    private func derived(
        _ life: Int64?, _ issue: Int64?, _ said: Said, _ supplement: ImportSupplement
    ) throws(ImportError) -> Expiry {
        if life == nil, let error = said.error { throw error }
        guard let life, let issue = issue ?? (supplement.expiresIn == nil ? nil : supplement.now)
        else { throw .expiryUnknown(hint: hint(life: life, issue: issue, said)) }
        do {
            return try Expiry(expiresIn: life, issuedAt: issue)
        } catch {
            throw error == .invalid(.expiresIn) ? .expiresInOutOfRange : .expiresAtOutOfRange
        }
    }

    private func hint(life: Int64?, issue: Int64?, _ said: Said) -> String {
        if life != nil {
            return "it says how long it lives, not from when on: give --issued-at, or --expires-at"
        }
        if said.hasDuration {
            return "it has a number for a date that is none: give --expires-at"
        }
        return issue != nil ? "give --expires-in or --expires-at" : "give --expires-at"
    }

    private func said(of account: Object, in bytes: Span<UInt8>) throws(ImportError) -> Said {
        var said = Said()
        for name in Names.expiresDate where said.date == nil && said.dateError == nil {
            guard let object = try value([name], of: account, in: bytes) else { continue }
            switch try moment(object, in: bytes) {
            case .none: break
            case .time(let time): said.date = time
            case .duration: said.hasDuration = true
            case .unusable: said.dateError = .badDate(.expiresDate)
            }
        }
        if let object = try value(Names.created, of: account, in: bytes) {
            switch try moment(object, in: bytes) {
            case .none, .duration: break
            case .time(let time): said.issue = time
            case .unusable: said.dateError = said.dateError ?? .badDate(.issuedAt)
            }
        }
        if let object = try value(Names.expiresIn, of: account, in: bytes) {
            try readLife(object, &said, in: bytes)
        }
        return said
    }

    // A date that stands in its place is what it is.
    private func readLife(
        _ object: Object, _ said: inout Said, in bytes: Span<UInt8>
    ) throws(ImportError) {
        if try kind(object, in: bytes) == .date {
            guard case .time(let time) = try moment(object, in: bytes) else {
                said.dateError = said.dateError ?? .badDate(.expiresDate)
                return
            }
            said.date = said.date ?? time
            return
        }
        guard let seconds = try wholeNumber(object, in: bytes) else {
            said.error = .badExpiresIn
            return
        }
        if dialect == .android, seconds >= Self.leastAndroidMilliseconds {
            said.date = said.date ?? seconds / 1000
            return
        }
        guard AccountField.check(expiresIn: seconds) == nil else {
            said.error = .expiresInOutOfRange
            return
        }
        said.life = seconds
    }

    private func moment(_ object: Object, in bytes: Span<UInt8>) throws(ImportError) -> Moment {
        switch try kind(object, in: bytes) {
        case .date:
            let date: Double?
            do { date = try graph.date(object, in: bytes) } catch { throw ImportError(error) }
            return date.map { Self.time($0) } ?? .unusable
        case .integer:
            guard let number = graph.integer(object, in: bytes) else { return .unusable }
            return Self.moment(ofNumber: Double(number))
        case .real:
            return graph.real(object, in: bytes).map { Self.moment(ofNumber: $0) } ?? .unusable
        case .string: return try moment(ofText: object, in: bytes)
        default: return .unusable
        }
    }

    private func moment(
        ofText object: Object, in bytes: Span<UInt8>
    ) throws(ImportError) -> Moment {
        guard let text = try text(object, upTo: 64, in: bytes) else { return .unusable }
        if text.isEmpty { return .none }
        if let time = CivilTime.parse(text) { return .time(time) }
        guard text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int64(text) else {
            return .unusable
        }
        return Self.moment(ofNumber: Double(number))
    }

    private static func moment(ofNumber number: Double) -> Moment {
        guard number >= leastSeconds else { return number >= 0 ? .duration : .unusable }
        return time(number < leastMilliseconds ? number : number / 1000)
    }

    // Down, so that it never says more than was granted.
    private static func time(_ seconds: Double) -> Moment {
        guard let whole = Int64(exactly: seconds.rounded(.down)),
            AccountField.check(expiresAt: whole) == nil
        else { return .unusable }
        return .time(whole)
    }

    // A number, or its digits in a text, cut to whole ones.
    private func wholeNumber(
        _ object: Object, in bytes: Span<UInt8>
    ) throws(ImportError) -> Int64? {
        switch try kind(object, in: bytes) {
        case .integer: return graph.integer(object, in: bytes)
        case .real:
            return graph.real(object, in: bytes).flatMap { Int64(exactly: $0.rounded(.down)) }
        case .string:
            guard let text = try text(object, upTo: 24, in: bytes), !text.isEmpty,
                text.utf8.allSatisfy({ 0x30...0x39 ~= $0 })
            else { return nil }
            return Int64(text)
        default: return nil
        }
    }
}
