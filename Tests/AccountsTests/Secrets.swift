import SecretMemory
import TestSupport

/// The text of a made-up secret, for comparison.
func text(_ secret: borrowing SecretBytes) -> String {
    secret.withBytes { bytes in
        String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
    }
}

extension Optional where Wrapped == SecretBytes {
    /// Its text; nil where there is none.
    borrowing func text() -> String? {
        switch self {
        case .some(let secret): AccountsTests.text(secret)
        case .none: nil
        }
    }
}

extension SecretArena {
    /// A made-up secret.
    func secret(_ text: String) throws -> SecretBytes {
        try secret(Array(text.utf8))
    }

    func secret(_ source: [UInt8]) throws -> SecretBytes {
        var bytes = try allocate(source.count)
        bytes.withMutableBytes { $0.copy(from: source.span) }
        return bytes
    }
}
