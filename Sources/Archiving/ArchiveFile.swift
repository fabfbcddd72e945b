import LinuxSystem
import Sealing

/// A sealed file, read a chunk at a time.
struct ArchiveFile: ~Copyable {
    /// Bytes 0 to 87.
    let header: [UInt8]
    /// The id of the master key that sealed it.
    let keyID: MasterKeyID
    /// The chunk that was read last, and room for a longer one.
    private(set) var chunk: [UInt8]

    private let file: FileDescriptor
    private let directory: String
    private let status: FileStatus
    private var position: Int64

    /// Opens one of an archive's files, and reads its header.
    ///
    /// - Returns: nil when there is none of that name.
    static func open(
        _ fileName: String, _ name: ArchiveName, in archives: borrowing Directory
    ) throws(ArchiveError) -> ArchiveFile? {
        let path = archives.path
        let file: FileDescriptor
        do throws(Errno) {
            file = try archives.openFile(fileName, [.readOnly, .nonBlocking])
        } catch {
            if error == .notFound { return nil }
            // Nobody of ours makes one, and where it leads is none of ours.
            if error == .loop {
                throw .damaged(archive: name.text, reason: "it is a symbolic link")
            }
            throw .system("cannot open \(path)/\(fileName)", errno: error.rawValue)
        }
        let status: FileStatus
        do { status = try file.status() } catch {
            throw .system("cannot look at \(path)/\(fileName)", errno: error.rawValue)
        }
        guard status.kind == .regular else {
            throw .damaged(archive: name.text, reason: "it is no regular file")
        }
        var header = [UInt8](repeating: 0, count: SealedFile.headerSize)
        let count = try read(file, into: &header, count: header.count, path, name)
        do throws(SealingError) {
            let keyID = try SealedFile.header(of: header.span.extracting(0..<count)).keyID
            return ArchiveFile(
                header: header, keyID: keyID, file: file, directory: path, status: status)
        } catch { throw ArchiveError(error, of: name) }
    }

    private init(
        header: [UInt8], keyID: MasterKeyID, file: consuming FileDescriptor, directory: String,
        status: FileStatus
    ) {
        self.header = header
        self.keyID = keyID
        self.file = file
        self.directory = directory
        self.status = status
        position = Int64(header.count)
        chunk = [UInt8](repeating: 0, count: SealedFileReader.chunkSize)
    }

    /// Whether the chunk that was read last ends the file.
    var isAtEnd: Bool { position >= status.size }

    /// Bytes of plaintext at the most: that many, or up to 256 fewer.
    var maximumPlaintext: Int64 {
        let size = Int64(SealedFileReader.chunkSize)
        let body = max(0, status.size - Int64(header.count))
        return max(0, body - Int64(SealedFileReader.overhead) * ((body + size - 1) / size))
    }

    /// Reads the next chunk, and says how many bytes it has.
    mutating func readChunk(_ name: ArchiveName) throws(ArchiveError) -> Int {
        let count = Int(min(status.size - position, Int64(chunk.count)))
        guard count > 0 else { throw ArchiveError(.cannotOpen, of: name) }
        let read = try Self.read(file, into: &chunk, count: count, directory, name)
        guard read == count else {
            throw .damaged(archive: name.text, reason: "it was changed while it was read")
        }
        position += Int64(count)
        return count
    }

    /// Whether the name still leads to this file.
    func isStill(_ fileName: String, in archives: borrowing Directory) -> Bool {
        guard let now = try? archives.status(of: fileName) else { return false }
        return now.isSameFile(as: status)
    }

    // As many bytes as there are, up to `count`; some more where there are more.
    private static func read(
        _ file: borrowing FileDescriptor, into bytes: inout [UInt8], count: Int, _ path: String,
        _ name: ArchiveName
    ) throws(ArchiveError) -> Int {
        var read = 0
        do throws(Errno) {
            var room = bytes.mutableSpan
            while read < count {
                let more = try Files.read(file.rawValue, into: &room, from: read)
                if more == 0 { break }
                read += more
            }
        } catch {
            throw .system(
                "cannot read the archive \(name.text) in \(path)", errno: error.rawValue)
        }
        return read
    }
}
