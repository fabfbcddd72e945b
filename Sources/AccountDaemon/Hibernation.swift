import LinuxSystem

/// Whether the machine can write its memory to a disk; an open memfd_secret would keep it from
/// doing so. memfd_secret(2)
enum Hibernation {
    static var isPossible: Bool {
        guard let states = try? Files.readWhole("/sys/power/state", limit: 256) else {
            return false
        }
        let text = String(decoding: states, as: UTF8.self)
        return text.split(whereSeparator: \.isWhitespace).contains("disk")
    }
}
