/// The frame of a binary property list: its header, and the last 32 bytes that say where all is.
///
/// | bytes | field |
/// |---|---|
/// | 6 | not used, not looked at |
/// | 1 | size of an entry of the offset table |
/// | 1 | size of a reference within a container |
/// | 8 | number of objects |
/// | 8 | the root's number |
/// | 8 | offset of the offset table |
///
/// Header, objects, offset table and trailer fill the file exactly, without a gap after the objects
/// and without anything behind, as in every file that Core Foundation accepts.
struct PropertyListTrailer {
    static let size = 32
    static let header: StaticString = "bplist00"
    static let headerSize = 8
    static let fieldSizes = 1...8

    /// Bytes of an entry of the offset table.
    let offsetSize: Int
    /// Bytes of a reference to an object.
    let referenceSize: Int
    /// Objects in the file, at least 1.
    let objectCount: Int
    /// The number of the root, less than `objectCount`.
    let root: Int
    /// Where the objects end and the offset table begins.
    let tableOffset: Int

    init(_ bytes: Span<UInt8>, limits: PropertyListLimits) throws(PropertyListError) {
        guard Self.hasHeader(bytes) else { throw .notAPropertyList }
        guard bytes.count <= limits.maximumBytes else { throw .tooLarge }
        let start = bytes.count - Self.size
        // One object of one byte and its offset, at the least.
        guard start >= Self.headerSize + 2 else { throw .damaged(offset: bytes.count) }
        offsetSize = Int(bytes[start + 6])
        referenceSize = Int(bytes[start + 7])
        guard Self.fieldSizes.contains(offsetSize) else { throw .damaged(offset: start + 6) }
        guard Self.fieldSizes.contains(referenceSize) else { throw .damaged(offset: start + 7) }

        guard let objects = Int(exactly: bytes.bigEndian(at: start + 8, size: 8)), objects >= 1
        else { throw .damaged(offset: start + 8) }
        guard let root = Int(exactly: bytes.bigEndian(at: start + 16, size: 8)), root < objects
        else { throw .damaged(offset: start + 16) }
        guard let table = Int(exactly: bytes.bigEndian(at: start + 24, size: 8)),
            table > Self.headerSize
        else { throw .damaged(offset: start + 24) }
        let (tableSize, overflowed) = objects.multipliedReportingOverflow(by: offsetSize)
        let (end, overflowedToo) = table.addingReportingOverflow(tableSize)
        guard !overflowed, !overflowedToo, end == start else { throw .damaged(offset: start + 24) }
        guard objects <= limits.maximumObjects else { throw .tooManyObjects }
        objectCount = objects
        self.root = root
        tableOffset = table
    }

    /// Reads where an object begins; it is within the part of the file that holds objects.
    func offset(of object: Int, in bytes: Span<UInt8>) throws(PropertyListError) -> Int {
        let entry = tableOffset + object * offsetSize
        guard let offset = Int(exactly: bytes.bigEndian(at: entry, size: offsetSize)),
            offset >= Self.headerSize, offset < tableOffset
        else { throw .damaged(offset: entry) }
        return offset
    }

    private static func hasHeader(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count >= headerSize else { return false }
        return header.withUTF8Buffer { wanted in
            // SAFETY: the buffer is the static string's, and the span does not leave the closure.
            let wanted = unsafe wanted.span
            for index in 0..<headerSize where bytes[index] != wanted[index] { return false }
            return true
        }
    }
}
