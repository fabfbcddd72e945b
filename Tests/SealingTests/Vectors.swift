import Foundation
import SecretMemory
import Testing

@testable import Sealing

/// Tests/Vectors/sealed/MANIFEST.json: what each file of that folder must give.
struct Vectors: Decodable {
    struct Sealed: Decodable, CustomTestStringConvertible {
        let name: String
        let gives: String
        let key: Hexadecimal
        let keyID: Hexadecimal
        let size: Int?
        let blake2b: Hexadecimal?
        var testDescription: String { name }
    }

    struct Slots: Decodable, CustomTestStringConvertible {
        struct Retired: Decodable {
            let keyID: Hexadecimal
            let key: Hexadecimal
        }

        let name: String
        let gives: String
        let step: String
        private let kind: String
        let secret: Hexadecimal
        let masterKey: Hexadecimal?
        let keyID: Hexadecimal?
        let retired: [Retired]?
        var testDescription: String { name }
        var slotKind: KeySlot.Kind? { KeySlot.Kind(rawValue: kind) }
    }

    struct Code: Decodable {
        let bytes: Hexadecimal
        let code: String
    }

    let masterKey: Hexadecimal
    let keyID: Hexadecimal
    let sealed: [Sealed]
    let slots: [Slots]
    let recoveryCodes: [Code]

    static let tests = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()
    static let folder = tests.appending(path: "Vectors/sealed")

    static func load() throws -> Vectors {
        let manifest = try Data(contentsOf: folder.appending(path: "MANIFEST.json"))
        return try JSONDecoder().decode(Vectors.self, from: manifest)
    }

    static func file(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appending(path: name)))
    }
}

/// Made-up bytes, written in hexadecimal.
struct Hexadecimal: Decodable {
    let bytes: [UInt8]

    init(_ text: String) throws {
        var bytes: [UInt8] = []
        var rest = Substring(text)
        while !rest.isEmpty {
            guard let byte = UInt8(rest.prefix(2), radix: 16) else {
                throw CocoaError(.coderReadCorrupt)
            }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        self.bytes = bytes
    }

    init(from decoder: any Decoder) throws {
        try self.init(try decoder.singleValueContainer().decode(String.self))
    }
}

extension MasterKeyID {
    /// An id of a test, which has 16 bytes.
    init(testing bytes: [UInt8]) throws {
        guard let id = MasterKeyID(bytes.span) else { throw CocoaError(.coderReadCorrupt) }
        self = id
    }
}

extension SecretArena {
    /// Made-up bytes in secret memory.
    func secret(_ bytes: [UInt8]) throws -> SecretBytes {
        var secret = try allocate(bytes.count)
        secret.withMutableBytes { $0.copy(from: bytes.span) }
        return secret
    }
}
