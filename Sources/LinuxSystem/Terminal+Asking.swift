import Glibc
package import SecretMemory

extension Terminal {
    private enum Answer { case line, end, signal(Int32) }

    /// Asks for a line that the terminal does not show, or for several.
    ///
    /// A signal that ends or stops the program takes effect once the terminal shows what is typed
    /// again; after a stop the question is asked anew. A signal that the caller blocks stays so.
    ///
    /// - Parameters:
    ///   - fd: a terminal, open for reading and writing, in whose foreground this process is.
    ///   - prompt: written before.
    ///   - line: gets the line appended, without its end, for which there must be room though.
    ///   - timeoutMilliseconds: -1 for ever.
    ///   - isWhole: whether the lines so far, with the ends between them, are all that is wanted.
    /// - Returns: false at the end of the input, when there was no line.
    /// - Throws: `.timedOut`; `.messageTooLong` past the buffer's limit; `.noMemory`; else the errno.
    package static func readLineWithoutEcho(
        _ fd: Int32, prompt: String, into line: inout SecretBuffer,
        timeoutMilliseconds: Int64 = -1, isWhole: (Span<UInt8>) -> Bool = { _ in true }
    ) throws(Errno) -> Bool {
        try readLine(
            fd, prompt: prompt, isShown: false, into: &line,
            timeoutMilliseconds: timeoutMilliseconds, isWhole: isWhole)
    }

    /// Asks for a line, or for several, which the terminal shows where it may: else the same.
    package static func readLine(
        _ fd: Int32, prompt: String, isShown: Bool, into line: inout SecretBuffer,
        timeoutMilliseconds: Int64 = -1, isWhole: (Span<UInt8>) -> Bool = { _ in true }
    ) throws(Errno) -> Bool {
        let blocked = SignalSet.blocked
        let awaited = [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP].filter { !blocked.contains($0) }
        let end =
            timeoutMilliseconds < 0
            ? -1 : Clock.deadline(afterMilliseconds: timeoutMilliseconds)
        let start = line.count
        let mask = SignalSet(awaited).block()
        defer { mask.replaceMask() }
        let signals = try SignalDescriptor(awaited)
        while true {
            let answer = try withoutEcho(fd, isShown: isShown) { () throws(Errno) in
                try StandardStream.print(prompt, to: fd)
                return try read(fd, signals, into: &line, from: start, until: end, isWhole)
            }
            switch answer {
            case .line: return true
            case .end: return false
            case .signal(let signal):
                line.truncate(to: start)
                try StandardStream.print("\n", to: fd)
                // Taken from the descriptor, it is raised again, to act as it would have.
                mask.replaceMask()
                raise(signal)
                _ = SignalSet(awaited).block()
            }
        }
    }

    private static func read(
        _ fd: Int32, _ signals: borrowing SignalDescriptor, into line: inout SecretBuffer,
        from start: Int, until end: Int64, _ isWhole: (Span<UInt8>) -> Bool
    ) throws(Errno) -> Answer {
        while true {
            let left = end < 0 ? -1 : max(0, end - Clock.monotonicMilliseconds())
            let ready = try Poll.wait(
                fd, for: .readable, or: signals.rawValue, timeoutMilliseconds: left)
            if ready == ([], []) { throw .timedOut }
            if let signal = try signals.next() { return .signal(signal) }
            guard !ready.first.isEmpty else { continue }
            do {
                if line.count == line.capacity { try line.reserve(1) }
            } catch {
                line.truncate(to: start)
                tcflush(fd, TCIFLUSH)
                throw error == .overLimit ? .messageTooLong : .noMemory
            }
            let count = try line.appendUpTo(line.capacity - line.count) { room throws(Errno) in
                try Files.read(fd, into: &room)
            }
            if count == 0 { return line.count > start ? .line : .end }
            let last = line.count - 1
            if line.withBytes({ all in
                all[last] == UInt8(ascii: "\n") && isWhole(all.extracting(start..<last))
            }) {
                line.truncate(to: last)
                return .line
            }
        }
    }
}
