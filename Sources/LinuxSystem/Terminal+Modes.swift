import Glibc

extension Terminal {
    /// How a terminal treats what is typed. termios(3)
    package struct Modes {
        private let descriptor: Int32
        private let raw: termios

        /// Those that it has; nil where the descriptor is no terminal.
        package init?(of fd: Int32) {
            var raw = termios()
            // SAFETY: the kernel fills the structure, or fails.
            guard unsafe tcgetattr(fd, &raw) == 0 else { return nil }
            descriptor = fd
            self.raw = raw
        }

        /// Sets them again, after a program that may not have. tcsetattr(3)
        package func restore() {
            var raw = raw
            // SAFETY: the kernel copies the structure.
            unsafe tcsetattr(descriptor, TCSANOW, &raw)
        }
    }

    /// The path of the terminal that a descriptor leads to; nil where it leads to none.
    /// ttyname_r(3)
    package static func name(of fd: Int32) -> String? {
        var room = [CChar](repeating: 0, count: 256)
        let failure: Int32 = unsafe room.withUnsafeMutableBufferPointer { room in
            guard let start = room.baseAddress else { return -1 }
            // SAFETY: the name and its end are no longer than the room.
            return unsafe ttyname_r(fd, start, room.count)
        }
        guard failure == 0 else { return nil }
        let bytes = room.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(validating: bytes, as: UTF8.self)
    }
}
