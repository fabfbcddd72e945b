import Glibc
import LinuxSystem

/// A program that was started in the background, and the pipe by which it says how it fares.
///
/// The program's end of the pipe is closed when it ends, if not before.
struct ReadinessPipe: ~Copyable {
    /// The longest line that is read, in bytes.
    private static let maximumLine = 1024

    /// The program's process.
    let pid: Int32
    private let reader: FileDescriptor

    /// Starts a program, whose end of the pipe is `ChildProcess.passedDescriptor`. pipe(2)
    init(
        starting program: String, arguments: [String], environment: [String]
    ) throws(Errno) {
        var ends: [Int32] = [-1, -1]
        // SAFETY: room for the two numbers.
        _ = try valueOrErrno { unsafe pipe(&ends) }
        let reader = FileDescriptor(owning: ends[0])
        let writer = FileDescriptor(owning: ends[1])
        // This program has one thread: nothing can be started in between.
        try reader.setInherited(false)
        try writer.setInherited(false)
        let pid = try ChildProcess.startDetached(
            program, arguments: arguments, environment: environment, passing: writer.rawValue)
        try writer.close()
        self.pid = pid
        self.reader = reader
    }

    /// What the program says, up to the first line's end, or all of it when it closes the pipe.
    ///
    /// - Parameter timeout: seconds.
    /// - Throws: `.timedOut`, or the errno.
    func readLine(timeout: Int64) throws(Errno) -> String {
        let deadline = Clock.monotonicMilliseconds() + timeout * 1000
        var line = [UInt8](repeating: 0, count: Self.maximumLine)
        var count = 0
        while count < line.count, !line[..<count].contains(UInt8(ascii: "\n")) {
            let left = max(0, deadline - Clock.monotonicMilliseconds())
            let ready = try Poll.wait(reader.rawValue, for: .readable, timeoutMilliseconds: left)
            guard ready.rawValue != 0 else { throw .timedOut }
            var room = line.mutableSpan
            let received = try Files.read(reader.rawValue, into: &room, from: count)
            guard received > 0 else { break }
            count += received
        }
        let text = line[..<count].prefix { $0 != UInt8(ascii: "\n") }
        return String(decoding: text, as: UTF8.self)
    }
}
