import LinuxSystem

/// What the daemon says about itself, a line each on standard error, where a service manager keeps
/// it.
///
/// Nothing that came over a socket is ever part of it.
enum Log {
    /// Writes a line; a full disk or a closed terminal stops nobody.
    static func note(_ line: String) {
        try? StandardStream.print("accountd: \(line)\n", to: StandardStream.error)
    }
}
