import Glibc

/// An advisory lock on a file, given back when its owner goes or dies. flock(2)
///
/// The file stays when the lock is given back: to remove it would let two hold "the" lock.
package struct FileLock: ~Copyable, Sendable {
    /// How long to sleep between two tries, in milliseconds.
    private static let pause: Int64 = 20
    /// How often a file that was exchanged meanwhile is opened again.
    private static let attempts = 16

    private let name: String
    private let directory: FileDescriptor
    private var file: FileDescriptor?

    /// Names a lock; nothing is taken yet.
    ///
    /// - Parameters:
    ///   - name: of the file, made with mode 0600 if missing.
    ///   - directory: where it is.
    package init(_ name: String, in directory: borrowing Directory) throws(Errno) {
        self.name = name
        self.directory = try Files.open(".", in: directory.rawValue, [.readOnly, .directory])
    }

    /// The numbers of its descriptors.
    package var descriptors: [Int32] {
        var numbers = [directory.rawValue]
        switch file {
        case .some(let file): numbers.append(file.rawValue)
        case .none: break
        }
        return numbers
    }

    /// Whether it is held by this value.
    package var isHeld: Bool { file != nil }

    /// Takes the lock if it is free.
    ///
    /// - Parameter shared: whether others may hold it too, who take it as shared as well.
    /// - Returns: whether it is held now. An exclusive holder's process id stands in the file.
    /// - Throws: the errno when the file cannot be made or opened.
    package mutating func tryAcquire(shared: Bool = false) throws(Errno) -> Bool {
        for _ in 0..<Self.attempts {
            let opened = try Files.open(
                name, in: directory.rawValue, [.readWrite, .create, .noFollow])
            let number = opened.rawValue
            do {
                _ = try valueOrErrno { flock(number, (shared ? LOCK_SH : LOCK_EX) | LOCK_NB) }
            } catch {
                guard error == .wouldBlock else { throw error }
                return false
            }
            // A lock on a file that has lost its name keeps nobody out.
            guard try isInPlace(opened) else { continue }
            if !shared { Self.note(getpid(), in: number) }
            file = consume opened
            return true
        }
        return false
    }

    /// Takes the lock, waiting for it within a time.
    ///
    /// - Returns: whether it is held now.
    package mutating func acquire(
        shared: Bool = false, timeoutMilliseconds: Int64
    ) throws(Errno) -> Bool {
        let end = Clock.deadline(afterMilliseconds: timeoutMilliseconds)
        while try !tryAcquire(shared: shared) {
            let left = end - Clock.monotonicMilliseconds()
            guard left > 0 else { return false }
            usleep(UInt32(min(left, Self.pause)) * 1000)
        }
        return true
    }

    /// Gives it back.
    package mutating func release() { file = nil }

    /// The process that holds it, or held it last.
    ///
    /// - Returns: nil when none has written its id there.
    package func holderPID() -> Int32? {
        guard
            let bytes = try? Files.open(
                name, in: directory.rawValue, [.readOnly, .noFollow, .nonBlocking]
            ).readWhole(limit: 16), let text = String(validating: bytes, as: UTF8.self)
        else { return nil }
        return Int32(text.prefix { $0 != "\n" })
    }

    private func isInPlace(_ opened: borrowing FileDescriptor) throws(Errno) -> Bool {
        do {
            return try opened.status().isSameFile(
                as: FileStatus.of(path: name, in: directory.rawValue, following: false))
        } catch {
            guard error == .notFound else { throw error }
            return false
        }
    }

    // For messages alone; a full disk must not keep the lock from being taken.
    private static func note(_ pid: Int32, in fd: Int32) {
        let text = "\(pid)\n"
        ftruncate(fd, 0)
        try? Files.writeAll(fd, text.utf8Span.span)
    }
}
