import AccountImport
import Archiving
import PropertyList

/// Reads what StructArchiver has written of a Swift value.
///
/// A value is the length of its type's name in one byte, the name, a header, and a body, all numbers
/// as a little-endian machine of 64 bits has them. There is no magic number and no checksum.
///
/// | type | header | body |
/// |---|---|---|
/// | `Int`, `UInt`, `Double` | none | 8 bytes |
/// | `Float` | none | 4 bytes |
/// | `String` | its length, an archived `Int` | UTF-8 |
/// | `Array<…>` | the count and each element's length, archived `Int`s | the elements |
/// | `Dictionary<…>` | the count, each key's length, then each value's | the keys, then the values |
/// | any other | as of a dictionary: a struct, by the names of its properties | |
struct StructReader {
    /// Values within one another.
    private static let maximumDepth = 64
    /// Under which a struct has the name of its type.
    private static let typeKey = "$type"
    /// Bytes of an archived `Int`, with which all headers are written: 3, its name, and itself.
    private static let lengthSize = 12

    private let budget: ImportBudget
    var position = 0

    init(_ budget: ImportBudget) { self.budget = budget }

    /// Reads a whole file.
    static func read(
        _ file: Span<UInt8>, _ budget: ImportBudget
    ) throws(ImportError) -> ArchiveValue {
        var reader = StructReader(budget)
        let value = try reader.value(in: file, depth: 1)
        guard reader.position == file.count else { throw .bytesLeftOver }
        return value
    }

    // Each value has the bytes that its container says to itself, so that none reads what is
    // another's.
    private mutating func value(
        in bytes: Span<UInt8>, depth: Int
    ) throws(ImportError) -> ArchiveValue {
        guard depth <= Self.maximumDepth else { throw .tooDeep }
        do { try budget.visit() } catch { throw .archive(error) }
        switch try type(in: bytes) {
        case .int: return .integer(Int64(bitPattern: try number(8, in: bytes)))
        case .uint:
            guard let number = Int64(exactly: try number(8, in: bytes)) else {
                throw .integerOutOfRange
            }
            return .integer(number)
        case .float:
            let pattern = UInt32(truncatingIfNeeded: try number(4, in: bytes))
            return .real(Double(Float(bitPattern: pattern)))
        case .double: return .real(Double(bitPattern: try number(8, in: bytes)))
        case .string: return .string(try text(in: bytes))
        case .array: return .array(try array(in: bytes, depth: depth))
        case .dictionary: return .dictionary(try members(in: bytes, depth: depth))
        case .other(let name):
            var members = try members(in: bytes, depth: depth)
            // No property is called that.
            guard members.updateValue(.string(name), forKey: Self.typeKey) == nil else {
                throw .duplicateKey
            }
            return .dictionary(members)
        }
    }

    private mutating func array(
        in bytes: Span<UInt8>, depth: Int
    ) throws(ImportError) -> [ArchiveValue] {
        let count = try count(times: 1, in: bytes)
        let lengths = position
        position += count * Self.lengthSize
        var values: [ArchiveValue] = []
        for index in 0..<count {
            values.append(try element(index, lengths, in: bytes, depth: depth))
        }
        return values
    }

    private mutating func members(
        in bytes: Span<UInt8>, depth: Int
    ) throws(ImportError) -> [String: ArchiveValue] {
        let count = try count(times: 2, in: bytes)
        let lengths = position
        position += 2 * count * Self.lengthSize
        var keys: [String] = []
        for index in 0..<count {
            guard case .string(let key) = try element(index, lengths, in: bytes, depth: depth)
            else { throw .badKey }
            keys.append(key)
        }
        var values: [String: ArchiveValue] = [:]
        for (index, key) in keys.enumerated() {
            guard values[key] == nil else { throw .duplicateKey }
            values[key] = try element(count + index, lengths, in: bytes, depth: depth)
        }
        return values
    }

    // Has exactly the bytes that its length says.
    private mutating func element(
        _ index: Int, _ lengths: Int, in bytes: Span<UInt8>, depth: Int
    ) throws(ImportError) -> ArchiveValue {
        let start = position
        position = lengths + index * Self.lengthSize
        let length = try length(in: bytes)
        guard length <= bytes.count - start else { throw .truncated }
        position = start
        let end = start + length
        do throws(ImportError) {
            let value = try value(in: bytes.extracting(0..<end), depth: depth + 1)
            guard position == end else { throw ImportError.badLength }
            return value
        } catch {
            // The file goes on, so it is its length that is wrong.
            throw error == .truncated && end < bytes.count ? .badLength : error
        }
    }
}

// Its parts.
extension StructReader {
    private mutating func text(in bytes: Span<UInt8>) throws(ImportError) -> String {
        let length = try length(in: bytes)
        guard length <= bytes.count - position else { throw .truncated }
        let part = bytes.extracting(position..<position + length)
        guard let text = try? UTF8Span(validating: part) else { throw .badText }
        position += length
        return String(copying: text)
    }

    /// A count of elements, each of which has `times` lengths of its own behind the count.
    private mutating func count(
        times: Int, in bytes: Span<UInt8>
    ) throws(ImportError) -> Int {
        let count = try length(in: bytes)
        guard count <= (bytes.count - position) / (times * Self.lengthSize) else {
            throw .truncated
        }
        return count
    }

    /// An archived `Int` that is a length or a count: of no more than a file may have.
    private mutating func length(in bytes: Span<UInt8>) throws(ImportError) -> Int {
        guard case .int = try type(in: bytes) else { throw .badLength }
        let number = try number(8, in: bytes)
        guard number <= UInt64(ArchiveImportLimits.maximumFile) else { throw .badLength }
        return Int(number)
    }

    private mutating func number(
        _ size: Int, in bytes: Span<UInt8>
    ) throws(ImportError) -> UInt64 {
        guard size <= bytes.count - position else { throw .truncated }
        var value: UInt64 = 0
        for index in 0..<size {
            value |= UInt64(bytes[position + index]) << UInt64(8 * index)
        }
        position += size
        return value
    }
}
