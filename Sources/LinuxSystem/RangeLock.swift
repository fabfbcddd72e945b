import Glibc

/// A lock on one of many things, by its number in a file that all of them share.
///
/// It is held by an open file, so that it keeps out other threads of the same process too, and ends
/// with it, be it by a kill. A file for each thing would stay behind when the thing goes.
/// fcntl(2), "Open file description locks"
package struct RangeLock: ~Copyable {
    /// How long to sleep between two tries, in milliseconds.
    private static let pause: Int64 = 5
    // The Glibc module lacks it.
    private static let setLock: Int32 = 37

    private let file: FileDescriptor

    /// Takes the lock, waiting for it within a time.
    ///
    /// - Parameters:
    ///   - number: of the thing, not negative.
    ///   - name: of the file, made with mode 0600 if missing.
    ///   - directory: where it is.
    ///   - shared: whether others may hold it too, who take it as shared as well.
    ///   - timeoutMilliseconds: 0: one try.
    /// - Returns: nil when somebody else had it all the time.
    package static func acquire(
        _ number: Int64, of name: String, in directory: borrowing Directory, shared: Bool = false,
        timeoutMilliseconds: Int64
    ) throws(Errno) -> RangeLock? {
        precondition(number >= 0, "a place in a file")
        let end = Clock.deadline(afterMilliseconds: timeoutMilliseconds)
        while true {
            // Opened anew for each try: a lock on a file that has lost its name keeps nobody out.
            let file = try directory.openFile(name, [.readWrite, .create])
            do throws(Errno) {
                try lock(file.rawValue, number, shared ? F_RDLCK : F_WRLCK)
                if try isInPlace(file, name, directory) { return RangeLock(file: file) }
            } catch {
                guard error == .wouldBlock || error == .permissionDenied else { throw error }
            }
            let left = end - Clock.monotonicMilliseconds()
            guard left > 0 else { return nil }
            usleep(UInt32(min(left, pause)) * 1000)
        }
    }

    private static func isInPlace(
        _ file: borrowing FileDescriptor, _ name: String, _ directory: borrowing Directory
    ) throws(Errno) -> Bool {
        do throws(Errno) {
            return try file.status().isSameFile(as: directory.status(of: name))
        } catch {
            guard error == .notFound else { throw error }
            return false
        }
    }

    private static func lock(_ fd: Int32, _ number: Int64, _ kind: Int32) throws(Errno) {
        var range = flock()
        range.l_type = Int16(kind)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = Int(number)
        range.l_len = 1
        _ = try valueOrErrno {
            // SAFETY: the structure lives for the call; it asks for the process id 0, as it must.
            unsafe withUnsafeMutablePointer(to: &range) { unsafe fcntl(fd, setLock, $0) }
        }
    }
}
