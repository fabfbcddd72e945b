import LinuxSystem
package import SecretMemory

/// The lists of users and groups, passwd(5) and group(5).
///
/// The first line is the name, or the number, that is looked for.
package final class UsersBody: FuzzBody {
    package static let name = "users"
    package static let maximumSize = 1024

    package let arena: SecretArena

    package init() throws { arena = try SecretArena(capacity: 4096, preferring: .lockedPages) }

    package func run(_ input: Span<UInt8>) throws {
        let bytes = input.array
        let end = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
        let name = String(decoding: bytes[..<end], as: UTF8.self)
        let text = Array(bytes[end...].dropFirst())
        let id = Users.id(of: name, in: text)
        try require(id == Self.modelID(of: name, text), "\(name) has another number")
        try require(id != .max, "a number that stands for none")
        guard let uid = id ?? UInt32(name) else { return }
        let home = Users.homeDirectory(of: uid, passwd: text)
        if let home {
            try require(home.utf8.first == UInt8(ascii: "/"), "a home that is no path")
            let field = [UInt8](":".utf8) + Array(home.utf8)
            try require(text.span.contains(field), "a home that is not there")
            try require(!home.utf8.contains(UInt8(ascii: "\n")), "a home of two lines")
        }
    }

    // The same, read another way: from the left, letter by letter, on the first line of that name
    // that has three fields at least.
    private static func modelID(of name: String, _ text: [UInt8]) -> UInt32? {
        let wanted = Array(name.utf8)
        var fields: [[UInt8]] = [[]]
        for byte in text + [UInt8(ascii: "\n")] {
            switch byte {
            case UInt8(ascii: "\n"):
                // An empty line is none, and has no name.
                if fields != [[]], fields[0] == wanted, fields.count >= 3 {
                    return number(fields[2])
                }
                fields = [[]]
            case UInt8(ascii: ":"): fields.append([])
            default: fields[fields.count - 1].append(byte)
            }
        }
        return nil
    }

    private static func number(_ digits: [UInt8]) -> UInt32? {
        guard digits.allSatisfy({ 0x30...0x39 ~= $0 }), digits.count <= 10 else { return nil }
        let value = UInt32(String(decoding: digits, as: UTF8.self))
        return value == .max ? nil : value
    }
}
