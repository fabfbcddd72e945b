import Glibc
package import SecretMemory

extension FileDescriptor {
    /// Reads what is there, at the most as much as fits. read(2)
    ///
    /// - Returns: bytes read; 0 at the end.
    package func read(into bytes: inout MutableSpan<UInt8>) throws(Errno) -> Int {
        try Files.read(rawValue, into: &bytes)
    }

    /// Writes at least one byte. write(2)
    ///
    /// - Returns: bytes written, which may be fewer than given.
    package func write(_ bytes: Span<UInt8>) throws(Errno) -> Int {
        try Files.write(rawValue, bytes)
    }

    /// Writes all of the bytes, in as many calls as it takes. write(2)
    package func writeAll(_ bytes: Span<UInt8>) throws(Errno) {
        try Files.writeAll(rawValue, bytes)
    }

    /// Reads from here to the end.
    ///
    /// Not for secrets: the array stands in ordinary memory.
    ///
    /// - Parameter limit: bytes it may have at the most.
    /// - Throws: `.fileTooLarge` past the limit, else the errno.
    package func readWhole(limit: Int) throws(Errno) -> [UInt8] {
        var all = [UInt8]()
        var used = 0
        while true {
            // One byte past the limit tells a file of just that size from a larger one.
            let room = min(limit + 1 - used, max(4096, used))
            all.append(contentsOf: repeatElement(0, count: used + room - all.count))
            var span = all.mutableSpan
            let count = try Files.read(rawValue, into: &span, from: used)
            guard count > 0 else { break }
            used += count
            guard used <= limit else { throw .fileTooLarge }
        }
        all.removeLast(all.count - used)
        return all
    }

    /// Reads from here to the end into secret memory.
    ///
    /// - Parameter buffer: gets the bytes appended; its limit is the limit.
    /// - Throws: `.fileTooLarge` past the buffer's limit, `.noMemory` when the arena is full, else
    ///   the errno.
    package func readWhole(into buffer: inout SecretBuffer) throws(Errno) {
        let number = rawValue
        while true {
            if buffer.count == buffer.capacity {
                guard buffer.count < buffer.limit else {
                    guard try Files.isAtEnd(number) else { throw .fileTooLarge }
                    return
                }
                do { try buffer.reserve(1) } catch {
                    throw error == .overLimit ? .fileTooLarge : .noMemory
                }
            }
            let count = try buffer.appendUpTo(buffer.capacity - buffer.count) {
                room throws(Errno) in try Files.read(number, into: &room)
            }
            if count == 0 { return }
        }
    }

    /// Has all that was written reach the disk. fsync(2)
    package func sync() throws(Errno) {
        let number = rawValue
        _ = try valueOrErrno { fsync(number) }
    }

    /// What the file is. fstat(2)
    package func status() throws(Errno) -> FileStatus { try FileStatus.of(fd: rawValue) }
}
