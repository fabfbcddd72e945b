import CLinux
import Glibc

extension Files {
    /// Both ends of a pipe.
    @frozen package struct Pipe: ~Copyable {
        /// Where what was written is read.
        package var readEnd: FileDescriptor
        /// Where it is written.
        package var writeEnd: FileDescriptor
    }

    /// Makes a pipe. pipe(2)
    package static func pipe() throws(Errno) -> Pipe {
        var ends: (Int32, Int32) = (-1, -1)
        let result: Int32 = unsafe withUnsafeMutableBytes(of: &ends) { bytes in
            guard let start = bytes.baseAddress else { return -1 }
            // SAFETY: room for the two numbers.
            return unsafe Glibc.pipe(start.assumingMemoryBound(to: Int32.self))
        }
        guard result == 0 else { throw .current }
        let pipe = Pipe(
            readEnd: FileDescriptor(owning: ends.0), writeEnd: FileDescriptor(owning: ends.1))
        // pipe2(2) is not in Swift's Glibc module. Those who make pipes have one thread.
        try pipe.readEnd.setInherited(false)
        try pipe.writeEnd.setInherited(false)
        return pipe
    }

    /// Makes a file in memory that nobody can change any more, and that is read from its start.
    /// memfd_create(2), F_ADD_SEALS
    ///
    /// - Parameters:
    ///   - name: as /proc shows it.
    ///   - contents: copied into the kernel's memory.
    package static func sealedMemory(
        named name: String, contents: Span<UInt8>
    ) throws(Errno) -> FileDescriptor {
        try check(name)
        // SAFETY: the name lives for the call.
        let file = FileDescriptor(owning: try valueOrErrno { unsafe clinux_memfd_create(name) })
        try file.writeAll(contents)
        let number = file.rawValue
        _ = try valueOrErrno { lseek(number, 0, SEEK_SET) }
        _ = try valueOrErrno { clinux_seal(number) }
        return file
    }

    /// Gives an open file the number `number`, whatever had it, and keeps it open in a program that
    /// replaces this one. dup2(2)
    package static func place(_ file: consuming FileDescriptor, at number: Int32) throws(Errno) {
        let from = file.rawValue
        if from == number {
            try file.setInherited(true)
            _ = file.release()
            return
        }
        _ = try valueOrErrno { dup2(from, number) }
    }
}
