import Glibc

/// The terminal that a person sits at. termios(3), tty(4)
package enum Terminal {
    /// Whether the descriptor is a terminal. isatty(3)
    package static func isTerminal(_ fd: Int32) -> Bool { isatty(fd) == 1 }

    /// Whether this process may read from the terminal and not be stopped for it. tcgetpgrp(3)
    package static func isForeground(_ fd: Int32) -> Bool { tcgetpgrp(fd) == getpgrp() }

    /// The terminal of this session, wherever the standard descriptors lead. tty(4)
    ///
    /// - Throws: ENXIO when there is none.
    package static func controlling() throws(Errno) -> FileDescriptor {
        try Files.open("/dev/tty", .readWrite)
    }

    /// Columns of the window; nil when the terminal does not say. TIOCGWINSZ
    package static func windowWidth(_ fd: Int32) -> Int? {
        var size = winsize()
        // SAFETY: the kernel fills one structure.
        guard unsafe ioctl(fd, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Runs `body` while the terminal does not show what is typed, or does all the same.
    /// tcsetattr(3)
    ///
    /// A signal that ends the program meanwhile leaves it so: `readLineWithoutEcho` sees to that.
    ///
    /// - Throws: what `body` throws, or ENOTTY.
    package static func withoutEcho<R: ~Copyable>(
        _ fd: Int32, isShown: Bool = false, _ body: () throws(Errno) -> R
    ) throws(Errno) -> R {
        var before = termios()
        // SAFETY: the kernel fills the structure, and copies it below.
        _ = try valueOrErrno { unsafe tcgetattr(fd, &before) }
        var hidden = before
        if isShown {
            hidden.c_lflag |= tcflag_t(ECHO | ECHOE | ECHOK)
        } else {
            hidden.c_lflag &= ~tcflag_t(ECHO | ECHOE | ECHOK)
        }
        // The line's end is shown all the same.
        hidden.c_lflag |= tcflag_t(ICANON | ECHONL)
        // What was typed before the question is not an answer to it.
        _ = try valueOrErrno { unsafe tcsetattr(fd, TCSAFLUSH, &hidden) }
        defer { unsafe tcsetattr(fd, TCSANOW, &before) }
        return try body()
    }
}
