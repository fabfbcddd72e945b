package import SecretMemory

/// Writes a binary property list into secret memory.
///
/// Children are added before the containers that hold them; each addition gives a reference that
/// may be used in any number of containers, so a dictionary key that stands in many dictionaries
/// is best added once. Values go into the buffer at once. Containers, which hold nothing but
/// numbers of objects, wait in ordinary memory until `finish`, since the size of a reference
/// depends on how many objects there will be.
///
/// After an error a writer is of no further use: an object may stand in it by half.
///
/// A reference belongs to the writer that gave it; one of another writer traps at the border of an
/// array or makes a list that nobody meant.
package struct PropertyListWriter: ~Copyable {
    /// An object that was added.
    package struct Reference: Sendable {
        let object: Int
    }

    private struct Container {
        let kind: PropertyListIndex.Kind
        let object: Int
        let references: Range<Int>
    }

    private let limits: PropertyListLimits
    private var buffer: SecretBuffer
    // Where each object begins; those of containers are known at the end.
    private var offsets: [Int] = []
    private var containers: [Container] = []
    private var references: [Int] = []

    /// Begins a property list.
    ///
    /// - Parameters:
    ///   - buffer: an empty buffer, which `finish` gives back; with a writer that is dropped it is wiped.
    ///   - limits: what `finish` holds the list to.
    /// - Throws: `.memory`, as all methods do when the buffer has no room.
    package init(
        into buffer: consuming SecretBuffer, limits: PropertyListLimits = PropertyListLimits()
    ) throws(PropertyListError) {
        precondition(buffer.isEmpty, "offsets are counted from the buffer's start")
        self.limits = limits
        self.buffer = buffer
        try write { buffer throws(SecretMemoryError) in
            try buffer.append(PropertyListTrailer.header)
        }
    }

    /// Adds an array.
    package mutating func add(array elements: [Reference]) throws(PropertyListError) -> Reference {
        try add(container: .array, elements)
    }

    /// Adds a dictionary, whose members are written in the order given.
    ///
    /// A key that is no string or stands there twice is found by `finish`.
    package mutating func add(
        dictionary members: [(key: Reference, value: Reference)]
    ) throws(PropertyListError) -> Reference {
        try add(container: .dictionary, members.map(\.key) + members.map(\.value))
    }

    /// Adds an array of a part of a larger list, for callers who keep the references of many
    /// containers in one.
    package mutating func add(
        elements: ArraySlice<Reference>
    ) throws(PropertyListError) -> Reference {
        try add(container: .array, elements)
    }

    /// Adds a dictionary of a part of a larger list, in which all keys stand before all values.
    package mutating func add(
        keysThenValues members: ArraySlice<Reference>
    ) throws(PropertyListError) -> Reference {
        precondition(members.count.isMultiple(of: 2), "a key without a value")
        return try add(container: .dictionary, members)
    }

    /// Writes the containers, the offset table and the trailer, each with the smallest integers
    /// that Core Foundation accepts, then reads the whole list once as a reader would.
    ///
    /// - Throws: `.memory`; or what the reader finds: `.tooLarge`, `.tooDeep`, `.duplicateKey`,
    ///   and `.damaged` for a dictionary with a key that is no string.
    package consuming func finish(root: Reference) throws(PropertyListError) -> SecretBuffer {
        let referenceSize = Self.bytes(holding: offsets.count)
        for container in containers { try write(container, referenceSize: referenceSize) }
        let tableOffset = buffer.count
        let offsetSize = Self.bytes(holding: tableOffset)
        let (offsets, limits) = (self.offsets, self.limits)
        try write { buffer throws(SecretMemoryError) in
            for offset in offsets {
                try buffer.append(bigEndian: UInt64(offset), size: offsetSize)
            }
            try buffer.append(bigEndian: 0, size: 6)
            try buffer.append(UInt8(offsetSize))
            try buffer.append(UInt8(referenceSize))
            try buffer.append(bigEndian: UInt64(offsets.count), size: 8)
            try buffer.append(bigEndian: UInt64(root.object), size: 8)
            try buffer.append(bigEndian: UInt64(tableOffset), size: 8)
        }
        var index = PropertyListIndex(limits: limits)
        try buffer.withBytes { bytes throws(PropertyListError) in try index.scan(bytes) }
        return buffer
    }

    /// Adds a container; a dictionary's keys come first, then its values.
    mutating func add(
        container kind: PropertyListIndex.Kind, _ children: some Collection<Reference>
    ) throws(PropertyListError) -> Reference {
        let reference = try nextReference()
        let first = references.count
        for child in children {
            precondition(child.object < reference.object, "a reference of another writer")
            references.append(child.object)
        }
        let range = first..<references.count
        containers.append(Container(kind: kind, object: reference.object, references: range))
        return reference
    }

    /// Adds an object that is no container by letting `body` append its marker and its value.
    mutating func add(
        _ body: (inout SecretBuffer) throws(SecretMemoryError) -> Void
    ) throws(PropertyListError) -> Reference {
        let start = buffer.count
        let reference = try nextReference()
        offsets[reference.object] = start
        try write(body)
        return reference
    }

    private mutating func nextReference() throws(PropertyListError) -> Reference {
        guard offsets.count < limits.maximumObjects else { throw .tooManyObjects }
        offsets.append(0)
        return Reference(object: offsets.count - 1)
    }

    private mutating func write(
        _ container: Container, referenceSize: Int
    ) throws(PropertyListError) {
        offsets[container.object] = buffer.count
        let children = references[container.references]
        let isDictionary = container.kind == .dictionary
        let marker: UInt8 = isDictionary ? 0xD0 : container.kind == .set ? 0xC0 : 0xA0
        try write { buffer throws(SecretMemoryError) in
            try buffer.appendMarker(marker, count: children.count / (isDictionary ? 2 : 1))
            for child in children {
                try buffer.append(bigEndian: UInt64(child), size: referenceSize)
            }
        }
    }

    private mutating func write(
        _ body: (inout SecretBuffer) throws(SecretMemoryError) -> Void
    ) throws(PropertyListError) {
        do { try body(&buffer) } catch { throw .memory(error) }
    }

    /// Core Foundation wants room for the number of objects and for the table's own offset, not
    /// merely for the largest number that is written: 256 objects take references of two bytes.
    private static func bytes(holding value: Int) -> Int {
        if value < 1 << 8 { return 1 }
        if value < 1 << 16 { return 2 }
        return value < 1 << 32 ? 4 : 8
    }
}
