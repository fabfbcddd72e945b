import LinuxSystem
import Sealing
import SecretMemory

/// Reads an archive of any size, part by part.
///
/// Each part is authentic when it comes, but damage may be met late: what was read until then is the
/// beginning of what was written, and no more. The memory that it takes does not grow with the archive.
public struct ArchiveReader: ~Copyable {
    private let name: ArchiveName
    private var file: ArchiveFile
    private var opening: SealedFileReader
    private let envelope: ArchiveEnvelope
    // Where in the chunk that was opened last the content begins; nil where it was handed out.
    private var start: Int?

    /// What it holds.
    public var kind: ArchiveKind { envelope.kind }
    /// The name of its type; empty where nothing is said of it.
    public var typeName: String { envelope.typeName }
    /// Bytes of the content: as many, or up to 256 fewer.
    public var maximumSize: Int64 { file.maximumPlaintext - Int64(envelope.bytes.count) }

    init(
        _ name: ArchiveName, _ file: consuming ArchiveFile, _ key: consuming ArchiveKey,
        _ arena: SecretArena
    ) throws(ArchiveError) {
        var opening: SealedFileReader
        do throws(SealingError) {
            opening = try SealedFileReader(
                header: file.header.span, under: key.bytes, keyID: key.id, arena: arena)
        } catch { throw ArchiveError(error, of: name) }
        try Self.openNext(of: &file, with: &opening, name)
        guard let begin = opening.withBytes({ ArchiveEnvelope.read($0) }) else {
            throw .damaged(archive: name.text, reason: "it does not say what it holds")
        }
        self.name = name
        self.file = file
        self.opening = opening
        envelope = begin.envelope
        start = begin.size
    }

    /// Lends the next part.
    ///
    ///     while try reader.next({ part in size += part.count }) {}
    ///
    /// - Parameter body: is passed some bytes, at the most 65,536, and at the end of some archives
    ///   none.
    /// - Returns: false at the end, without a call of `body`.
    /// - Throws: `.damaged`, `.system`, after which the archive is not to be read on; what `body`
    ///   throws.
    public mutating func next(
        _ body: (Span<UInt8>) throws(ArchiveError) -> Void
    ) throws(ArchiveError) -> Bool {
        let first: Int
        if let start {
            first = start
            self.start = nil
        } else {
            if opening.isAtEnd { return false }
            first = 0
            try Self.openNext(of: &file, with: &opening, name)
        }
        try opening.withBytes { bytes throws(ArchiveError) in try body(bytes.extracting(first...)) }
        return true
    }

    /// Reads all of it, if it is no larger than a value may be.
    consuming func content(_ name: ArchiveName) throws(ArchiveError) -> SecretBuffer {
        guard maximumSize <= Int64(Archiver.maximumValue) + 256 else {
            throw .tooLarge(archive: name.text, limit: Archiver.maximumValue)
        }
        var content = try ArchiveStore.buffer(Int(maximumSize))
        while try next({ bytes throws(ArchiveError) in
            do throws(SecretMemoryError) { try content.append(bytes) } catch {
                throw ArchiveError(error)
            }
        }) {}
        return content
    }

    // Static, so that each part of the reader is accessed by itself.
    private static func openNext(
        of file: inout ArchiveFile, with opening: inout SealedFileReader, _ name: ArchiveName
    ) throws(ArchiveError) {
        let count = try file.readChunk(name)
        do throws(SealingError) {
            try opening.open(file.chunk.span.extracting(0..<count), isLast: file.isAtEnd)
        } catch { throw ArchiveError(error, of: name) }
    }
}
