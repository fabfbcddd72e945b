import Foundation

/// Foundation's binary property lists as values of the tests.
///
/// On Linux it has no safe answer for UIDs and sets (it dies on a set of numbers), and dictionary
/// keys that are canonically equivalent become one; lists with these are not asked about.
enum FoundationValue {
    enum Answer: Equatable {
        case value(String)
        case refused
        case notAsked
    }

    /// What Foundation reads in a file of which we read `value`.
    static func read(_ file: [UInt8], besides value: PropertyListValue) -> Answer {
        guard isComparable(value) else { return .notAsked }
        guard
            // SAFETY: a null pointer asks for no format.
            let found = unsafe try? PropertyListSerialization.propertyList(
                from: Data(file), options: [], format: nil)
        else { return .refused }
        return .value(Self.value(of: found)?.notation ?? "\(type(of: found))")
    }

    static func isComparable(_ value: PropertyListValue) -> Bool {
        !value.contains {
            switch $0 {
            case .uid, .set: return true
            case .dictionary(let members):
                let keys = members.keys.map { String(decoding: $0, as: UTF8.self) }
                return Set(keys).count < members.count
            default: return false
            }
        }
    }

    /// What Foundation writes for a value.
    static func file(of value: PropertyListValue) throws -> [UInt8] {
        Array(
            try PropertyListSerialization.data(
                fromPropertyList: object(of: value), format: .binary, options: 0))
    }

    private static func value(of object: Any) -> PropertyListValue? {
        switch object {
        case is NSNull: return .null
        case let value as Bool where type(of: object) == Bool.self: return .boolean(value)
        case let number as NSNumber: return Self.value(ofNumber: number)
        case let value as String: return .text(value)
        case let value as Data: return .data(Array(value))
        case let value as Date:
            let seconds = value.timeIntervalSince1970
            return .date(seconds.isFinite ? seconds : nil)
        case let elements as [Any]:
            let values = elements.compactMap(Self.value(of:))
            return values.count == elements.count ? .array(values) : nil
        case let members as [String: Any]:
            var values: [[UInt8]: PropertyListValue] = [:]
            for (key, member) in members { values[Array(key.utf8)] = Self.value(of: member) }
            return values.count == members.count ? .dictionary(values) : nil
        default: return nil
        }
    }

    private static func value(ofNumber number: NSNumber) -> PropertyListValue {
        if isReal(number) { return .real(number.doubleValue) }
        if number.compare(NSNumber(value: Int64.max)) == .orderedDescending {
            return .integerOutOfRange
        }
        return .integer(number.int64Value)
    }

    private static func isReal(_ number: NSNumber) -> Bool {
        // SAFETY: the pointer is to a string of the number's class.
        let type = unsafe UInt8(bitPattern: number.objCType.pointee)
        return type == UInt8(ascii: "d") || type == UInt8(ascii: "f")
    }

    private static func object(of value: PropertyListValue) -> Any {
        switch value {
        case .boolean(let value): return value
        case .integer(let value): return value
        case .integerOutOfRange: return UInt64.max
        case .real(let value): return value
        case .date(let seconds): return Date(timeIntervalSince1970: seconds ?? .nan)
        case .data(let bytes): return Data(bytes)
        case .string(let utf8): return String(decoding: utf8, as: UTF8.self)
        case .array(let elements): return elements.map(Self.object(of:))
        case .dictionary(let members):
            var objects: [String: Any] = [:]
            for (key, value) in members {
                objects[String(decoding: key, as: UTF8.self)] = Self.object(of: value)
            }
            return objects
        case .null, .uid, .set: return NSNull()
        }
    }
}
