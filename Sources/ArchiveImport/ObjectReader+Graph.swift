import AccountImport
import FoundationEssentials
import PropertyList
import SecretMemory

// What the graph is asked, and its errors as those of a file.
extension ObjectReader {
    /// A field of an object, or an entry of a dictionary.
    struct Member {
        let key: Object
        let value: Object
    }

    /// Asks something.
    func ask<R>(_ question: () throws(ObjectGraphError) -> R) throws(ImportError) -> R {
        do { return try question() } catch { throw .archive(error) }
    }

    /// What an object is.
    func kind(_ object: Object, in bytes: Span<UInt8>) throws(ImportError) -> ObjectGraph.Kind {
        try ask { () throws(ObjectGraphError) in try graph.kind(of: object, in: bytes) }
    }

    /// The elements of an array or a set.
    func elements(of object: Object, in bytes: Span<UInt8>) throws(ImportError) -> [Object] {
        var elements: [Object] = []
        do throws(ObjectGraphError) {
            try graph.forEachElement(of: object, in: bytes) { elements.append($0) }
        } catch { throw .archive(error) }
        return elements
    }

    /// The fields of an object, or the entries of a dictionary.
    func members(of object: Object, in bytes: Span<UInt8>) throws(ImportError) -> [Member] {
        var members: [Member] = []
        do throws(ObjectGraphError) {
            try graph.forEachMember(of: object, in: bytes) {
                members.append(Member(key: $0, value: $1))
            }
        } catch { throw .archive(error) }
        return members
    }

    /// The value of the first of the names that an object or a dictionary has, be it nil.
    func member(
        _ names: [StaticString], of object: Object, in bytes: Span<UInt8>
    ) throws(ImportError) -> Object? {
        try ask { () throws(ObjectGraphError) -> Object? in
            for name in names {
                if let member = try graph.member(name, of: object, in: bytes) { return member }
            }
            return nil
        }
    }

    /// The name of an object's class.
    func className(of object: Object, in bytes: Span<UInt8>) throws(ImportError) -> String? {
        let name = try ask { () throws(ObjectGraphError) in
            try graph.className(of: object, in: bytes)
        }
        guard let name else { return nil }
        return try text(name, in: bytes)
    }

    /// Where data is in the file.
    func dataRange(_ object: Object, in bytes: Span<UInt8>) throws(ImportError) -> Range<Int> {
        try ask { () throws(ObjectGraphError) in
            try graph.dataRange(object, in: bytes) ?? 0..<0
        }
    }

    /// A copy of a part of the file, which is a picture or an app's data and no token.
    static func data(_ range: Range<Int>, of bytes: Span<UInt8>) -> Data {
        unsafe bytes.extracting(range).withUnsafeBufferPointer { part in
            // SAFETY: it is copied while it is lent.
            unsafe Data(part)
        }
    }

    /// A string.
    func text(_ object: Object, in bytes: Span<UInt8>) throws(ImportError) -> String {
        let count = try ask { () throws(ObjectGraphError) in
            try graph.decodedCount(of: object, in: bytes) ?? 0
        }
        do throws(SecretMemoryError) {
            var buffer = try SecretBuffer(arena: arena, capacity: max(1, count))
            try graph.appendString(object, in: bytes, to: &buffer)
            return buffer.withBytes { utf8 in
                // The property list's reader has seen that it is well formed.
                guard let text = try? UTF8Span(validating: utf8) else { return "" }
                return String(copying: text)
            }
        } catch { throw .memory(error) }
    }
}
