import Glibc
import LinuxSystem
import Testing

/// Both sides of a terminal that has no person before it. pty(7)
final class PseudoTerminal: Sendable {
    let master: FileDescriptor
    let slave: FileDescriptor
    let path: String

    init() throws {
        let master = try Files.open("/dev/ptmx", .readWrite)
        // TIOCSPTLCK and TIOCGPTN, ioctl_tty(2); unlockpt(3) and ptsname(3) are not in Swift's
        // Glibc module.
        var locked: Int32 = 0
        try #require(unsafe ioctl(master.rawValue, 0x4004_5431, &locked) == 0)
        var number: Int32 = 0
        try #require(unsafe ioctl(master.rawValue, 0x8004_5430, &number) == 0)
        let path = "/dev/pts/\(number)"
        let slave = try Files.open(path, .readWrite)
        self.master = master
        self.slave = slave
        self.path = path
    }

    /// Whether the terminal shows what is typed.
    var echoes: Bool {
        var state = termios()
        // SAFETY: one structure to fill.
        unsafe tcgetattr(slave.rawValue, &state)
        return state.c_lflag & tcflag_t(ECHO) != 0
    }

    /// What the terminal has shown since this was asked last.
    func shown() throws -> String {
        var all = [UInt8]()
        while try Poll.wait(master.rawValue, for: .readable, timeoutMilliseconds: 50)
            .contains(.readable)
        {
            var room = [UInt8](repeating: 0, count: 1000)
            var span = room.mutableSpan
            let count = try Files.read(master.rawValue, into: &span)
            all += room[..<count]
        }
        return String(decoding: all, as: UTF8.self)
    }
}
