import LinuxSystem

/// What the daemon says about itself, a line each on standard error, where a service manager keeps
/// it.
///
/// Nothing that came over a socket is ever part of it.
enum Log {
    /// Bytes of a line: what a pipe that has room at all takes without waiting. PIPE_BUF, pipe(7)
    private static let longestLine = 4096

    /// Writes a line; a full disk, a closed terminal or a pipe that nobody reads stops nobody.
    ///
    /// - Returns: whether it was written.
    @discardableResult
    static func note(_ line: String) -> Bool {
        guard canWrite else { return false }
        var text = "accountd: \(line)"
        if text.utf8.count >= longestLine {
            text = String(decoding: text.utf8.prefix(longestLine - 8), as: UTF8.self)
        }
        return (try? StandardStream.print("\(text)\n", to: StandardStream.error)) != nil
    }

    private static var canWrite: Bool {
        let ready = try? Poll.wait(StandardStream.error, for: .writable, timeoutMilliseconds: 0)
        return ready?.contains(.writable) ?? false
    }
}
