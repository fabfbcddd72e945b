import FoundationEssentials
import SecretMemory

/// A type whose archives bear another name than the type's own, so that it can be renamed.
public protocol ArchiveNamed {
    /// The name in its archives.
    static var archiveName: String { get }
}

extension Archiver {
    /// Writes a value, in the place of what has the name.
    public func write<Value: Encodable>(
        _ value: Value, named name: String
    ) throws(ArchiveError) {
        let name = try ArchiveName(name)
        let bytes = try Self.encoded(value, name)
        try write(bytes, .propertyList, Self.typeName(of: Value.self), name, lock(name))
    }

    /// Reads a value.
    ///
    /// An archive of JSON is read too, and so is one that was imported, whatever its values were.
    ///
    /// - Returns: nil when there is no archive of that name.
    /// - Throws: `.typeMismatch` when a value of another type was written; `.notDecodable` when its
    ///   content does not fit; `.damaged` and the like.
    public func read<Value: Decodable>(
        _ type: Value.Type = Value.self, named name: String
    ) throws(ArchiveError) -> Value? {
        try read(type, ArchiveName(name))
    }

    /// Changes a value where it stands: whoever else changes it at the same time waits, so that no
    /// change is lost.
    ///
    /// - Parameters:
    ///   - type: of the value.
    ///   - name: of the archive.
    ///   - change: gets the value, nil where there is none; what it leaves is written, and nil deletes
    ///     the archive. An error that it throws leaves the archive as it was.
    public func update<Value: Codable, Result>(
        _ type: Value.Type = Value.self, named name: String,
        _ change: (inout Value?) throws(ArchiveError) -> Result
    ) throws(ArchiveError) -> Result {
        let name = try ArchiveName(name)
        let lock = try lock(name)
        var value = try read(type, name)
        let result = try change(&value)
        if let value {
            let bytes = try Self.encoded(value, name)
            try write(bytes, .propertyList, Self.typeName(of: type), name, lock)
        } else {
            _ = try Self.delete(name, lock)
        }
        return result
    }

    // MARK: Values as bytes

    static func typeName(of type: Any.Type) -> String {
        if let named = type as? any ArchiveNamed.Type { return named.archiveName }
        return String(describing: type)
    }

    // In an array: a property list may not be a number or a text alone.
    private static func encoded<Value: Encodable>(
        _ value: Value, _ name: ArchiveName
    ) throws(ArchiveError) -> Data {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        let bytes: Data
        do {
            bytes = try encoder.encode([value])
        } catch { throw .notEncodable(archive: name.text, reason: CodingFault.of(error)) }
        guard bytes.count <= maximumValue else {
            throw .tooLarge(archive: name.text, limit: maximumValue)
        }
        return bytes
    }

    private func write(
        _ bytes: consuming Data, _ kind: ArchiveKind, _ typeName: String, _ name: ArchiveName,
        _ lock: consuming ArchiveLock
    ) throws(ArchiveError) {
        let envelope = try ArchiveEnvelope(kind, typeName, of: name)
        var writer = try ArchiveWriter.begin(name, lock, envelope, in: store)
        try writer.append(bytes.span)
        try writer.commit()
        // What the encoder made of the value; where it stood before is the encoder's.
        bytes.resetBytes(in: bytes.startIndex..<bytes.endIndex)
    }

    private func read<Value: Decodable>(
        _ type: Value.Type, _ name: ArchiveName
    ) throws(ArchiveError) -> Value? {
        switch try store.reader(of: name) {
        case .none: return nil
        case .some(let reader): return try Self.read(type, reader, name)
        }
    }

    private static func read<Value: Decodable>(
        _ type: Value.Type, _ reader: consuming ArchiveReader, _ name: ArchiveName
    ) throws(ArchiveError) -> Value {
        let asked = typeName(of: type)
        let (kind, written) = (reader.kind, reader.typeName)
        switch kind {
        case .propertyList where written.isEmpty || written == asked: break
        case .json: break
        case .propertyList, .bytes, .registered:
            throw .typeMismatch(archive: name.text, written: reader.writtenType, asked: asked)
        }
        let content = try reader.content(name)
        return try content.withBytes { bytes throws(ArchiveError) in
            if kind == .json { return try decoded(type, bytes, isJSON: true, name.text) }
            let list = try decoded([Value].self, bytes, isJSON: false, name.text)
            guard let value = list.first, list.count == 1 else {
                throw .notDecodable(archive: name.text, reason: "it holds no value")
            }
            return value
        }
    }

    static func decoded<Value: Decodable>(
        _ type: Value.Type, _ bytes: Span<UInt8>, isJSON: Bool, _ archive: String
    ) throws(ArchiveError) -> Value {
        do {
            return try unsafe bytes.withUnsafeBytes { raw in
                guard let start = raw.baseAddress else {
                    return try decode(type, Data(), isJSON)
                }
                // SAFETY: the bytes outlive the call, at whose end nobody holds the data any more.
                let data = unsafe Data(
                    bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: raw.count,
                    deallocator: .none)
                return try decode(type, data, isJSON)
            }
        } catch { throw .notDecodable(archive: archive, reason: CodingFault.of(error)) }
    }

    private static func decode<Value: Decodable>(
        _ type: Value.Type, _ data: Data, _ isJSON: Bool
    ) throws -> Value {
        isJSON
            ? try JSONDecoder().decode(type, from: data)
            : try PropertyListDecoder().decode(type, from: data)
    }
}
