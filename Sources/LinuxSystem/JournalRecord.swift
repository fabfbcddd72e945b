/// The fields of one journal record. systemd's "Native Journal Protocol"
///
/// Not for secrets: it stands in ordinary memory and goes to the log.
package struct JournalRecord: Equatable, Sendable {
    /// The record as it is sent.
    package private(set) var bytes = [UInt8]()

    /// A record without fields.
    package init() {}

    /// Adds a field.
    ///
    /// - Parameters:
    ///   - name: capital letters, digits and underscores, beginning with a letter.
    ///   - value: anything; with a line's end in it, it is sent with its length.
    package mutating func append(_ name: StaticString, _ value: String) {
        append(name)
        if value.utf8.contains(UInt8(ascii: "\n")) {
            bytes.append(UInt8(ascii: "\n"))
            var count = UInt64(value.utf8.count)
            for _ in 0..<8 {
                bytes.append(UInt8(truncatingIfNeeded: count))
                count >>= 8
            }
        } else {
            bytes.append(UInt8(ascii: "="))
        }
        bytes.append(contentsOf: value.utf8)
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Adds a field with a number.
    package mutating func append(_ name: StaticString, _ value: Int64) {
        append(name, String(value))
    }

    /// Empties it; the room stays.
    package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    private mutating func append(_ name: StaticString) {
        name.withUTF8Buffer { text in
            for index in text.indices { unsafe bytes.append(text[index]) }
        }
    }
}
