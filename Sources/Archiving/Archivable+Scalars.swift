public import FoundationEssentials
import PropertyList

extension Bool: Archivable {
    /// Writes a boolean.
    public func archive(into encoder: inout ArchiveEncoder) throws(ArchiveError) {
        try encoder.write(boolean: self)
    }

    /// Reads a boolean.
    public static func unarchive(
        from decoder: inout ArchiveDecoder
    ) throws(ArchiveError) -> Bool {
        try decoder.boolean()
    }
}

extension Archivable where Self: FixedWidthInteger {
    /// Writes an integer.
    ///
    /// - Throws: `.notEncodable` for one that neither Int64 nor UInt64 can hold.
    public func archive(into encoder: inout ArchiveEncoder) throws(ArchiveError) {
        if let value = Int64(exactly: self) {
            return try encoder.write { writer throws(PropertyListError) in
                try writer.add(integer: value)
            }
        }
        guard let value = UInt64(exactly: self) else {
            throw encoder.refusal("an integer is out of bounds")
        }
        try encoder.write { writer throws(PropertyListError) in try writer.add(unsigned: value) }
    }

    /// Reads an integer.
    ///
    /// - Throws: `.notDecodable` for one that the type cannot hold.
    public static func unarchive(
        from decoder: inout ArchiveDecoder
    ) throws(ArchiveError) -> Self {
        try decoder.integer()
    }
}

extension Int: Archivable {}
extension Int8: Archivable {}
extension Int16: Archivable {}
extension Int32: Archivable {}
extension Int64: Archivable {}
extension UInt: Archivable {}
extension UInt8: Archivable {}
extension UInt16: Archivable {}
extension UInt32: Archivable {}
extension UInt64: Archivable {}

extension Double: Archivable {
    /// Writes a real of 8 bytes.
    public func archive(into encoder: inout ArchiveEncoder) throws(ArchiveError) {
        try encoder.write { writer throws(PropertyListError) in try writer.add(real: self) }
    }

    /// Reads a real.
    public static func unarchive(
        from decoder: inout ArchiveDecoder
    ) throws(ArchiveError) -> Double {
        try decoder.real(as: Double.self)
    }
}

extension Float: Archivable {
    /// Writes a real of 4 bytes.
    public func archive(into encoder: inout ArchiveEncoder) throws(ArchiveError) {
        try encoder.write { writer throws(PropertyListError) in try writer.add(real: self) }
    }

    /// Reads a real.
    ///
    /// - Throws: `.notDecodable` for one that would be another as a `Float`.
    public static func unarchive(
        from decoder: inout ArchiveDecoder
    ) throws(ArchiveError) -> Float {
        let value = try decoder.real(as: Float.self)
        guard value.isNaN || Double(Float(value)) == value else {
            throw decoder.refusal("a real is no Float")
        }
        return Float(value)
    }
}

extension String: Archivable {
    /// Writes a text.
    public func archive(into encoder: inout ArchiveEncoder) throws(ArchiveError) {
        try encoder.write(string: self)
    }

    /// Reads a text.
    public static func unarchive(
        from decoder: inout ArchiveDecoder
    ) throws(ArchiveError) -> String {
        try decoder.string()
    }
}

extension Date: Archivable {
    /// Writes a date, to the last bit.
    ///
    /// - Throws: `.notEncodable` unless it is finite.
    public func archive(into encoder: inout ArchiveEncoder) throws(ArchiveError) {
        let seconds = timeIntervalSinceReferenceDate
        guard seconds.isFinite else { throw encoder.refusal("a date is not finite") }
        try encoder.write { writer throws(PropertyListError) in
            try writer.add(dateSince2001: seconds)
        }
    }

    /// Reads a date.
    public static func unarchive(
        from decoder: inout ArchiveDecoder
    ) throws(ArchiveError) -> Date {
        Date(timeIntervalSinceReferenceDate: try decoder.dateSince2001())
    }
}

extension Data: Archivable {
    /// Writes data.
    public func archive(into encoder: inout ArchiveEncoder) throws(ArchiveError) {
        try encoder.write { writer throws(PropertyListError) in try writer.add(data: span) }
    }

    /// Reads data.
    public static func unarchive(
        from decoder: inout ArchiveDecoder
    ) throws(ArchiveError) -> Data {
        try decoder.data()
    }
}
