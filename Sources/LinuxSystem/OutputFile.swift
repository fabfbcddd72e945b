import Glibc

/// A file that people name and that is written part by part: it is there when it is whole, or never.
///
/// Its mode is 0600. While it is written it has no name, so that a kill leaves nothing; a file system
/// that has no such files gets a temporary one. Where something has the name, that stays, unless it is
/// to be replaced.
package struct OutputFile: ~Copyable {
    private let directory: FileDescriptor
    private let file: FileDescriptor
    private let name: String
    // Of a file that has a name already.
    private var temporary: String?

    private init(
        _ directory: consuming FileDescriptor, _ file: consuming FileDescriptor, _ name: String,
        _ temporary: String?
    ) {
        self.directory = directory
        self.file = file
        self.name = name
        self.temporary = temporary
    }

    deinit {
        if let temporary { try? PathCalls.unlink(temporary, in: directory.rawValue) }
    }

    /// Makes the file, without its name.
    package static func make(at path: String) throws(Errno) -> OutputFile {
        let (parent, name) = Files.split(path)
        let directory = try Files.open(parent, [.readOnly, .directory])
        let number = directory.rawValue
        let temporary = TemporaryName.make()
        do throws(Errno) {
            let file = try Files.openUnnamed(in: number)
            return try prepared(OutputFile(directory, file, name, nil))
        } catch {
            // The last two are a kernel's that does not know the flag, open(2).
            guard [.notSupported, .isADirectory, .invalidArgument].contains(error) else {
                throw error
            }
        }
        return try makeNamed(parent, name, temporary)
    }

    private static func makeNamed(
        _ parent: String, _ name: String, _ temporary: String
    ) throws(Errno) -> OutputFile {
        let directory = try Files.open(parent, [.readOnly, .directory])
        let file = try Files.open(temporary, in: directory.rawValue, [.writeOnly, .createNew])
        return try prepared(OutputFile(directory, file, name, temporary))
    }

    // Whatever the umask took away.
    private static func prepared(_ file: consuming OutputFile) throws(Errno) -> OutputFile {
        let number = file.file.rawValue
        _ = try valueOrErrno { fchmod(number, 0o600) }
        return file
    }

    /// Adds bytes to its end.
    package borrowing func append(_ bytes: Span<UInt8>) throws(Errno) { try file.writeAll(bytes) }

    /// Has it reach the disk, and gives it its name.
    ///
    /// - Parameter replaces: whether what has the name is replaced, be it a symbolic link, which is not
    ///   followed.
    /// - Throws: `.exists` when something has the name and is not to be replaced; else the errno.
    package mutating func commit(replaces: Bool) throws(Errno) {
        try file.sync()
        let number = directory.rawValue
        if temporary == nil {
            if !replaces {
                try PathCalls.linkOpen(file.rawValue, as: name, in: number)
                return try directory.sync()
            }
            let link = TemporaryName.make()
            try PathCalls.linkOpen(file.rawValue, as: link, in: number)
            temporary = link
        }
        guard let temporary else { return }
        if replaces {
            try PathCalls.rename(temporary, to: name, in: number)
        } else {
            try PathCalls.renameNew(temporary, to: name, in: number)
        }
        self.temporary = nil
        try directory.sync()
    }
}
