import Foundation

/// What /proc says of processes. proc(5)
enum ProcessTable {
    /// All process ids.
    static var all: [pid_t] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap {
            pid_t($0)
        }
    }

    /// Whether it runs; what has ended and waits for its parent does not.
    static func isRunning(_ pid: pid_t) -> Bool {
        guard let text = text(pid, "stat"), let end = text.lastIndex(of: ")") else { return false }
        let state = text[text.index(after: end)...].split(separator: " ").first
        return state != "Z" && state != "X"
    }

    /// A file of it, as text.
    static func text(_ pid: pid_t, _ name: String) -> String? {
        bytes(pid, name).map { String(decoding: $0, as: UTF8.self) }
    }

    /// A file of it. (A mapped or sized read would find these files empty.)
    static func bytes(_ pid: pid_t, _ name: String) -> [UInt8]? {
        guard let file = FileHandle(forReadingAtPath: "/proc/\(pid)/\(name)") else { return nil }
        defer { try? file.close() }
        guard let data = try? file.readToEnd() else { return [] }
        return [UInt8](data)
    }

    /// The words of its command line or its environment.
    static func words(_ pid: pid_t, _ name: String) -> [String] {
        (bytes(pid, name) ?? []).split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Its descriptors, and what each leads to.
    static func descriptors(_ pid: pid_t) -> [Int: String] {
        let folder = "/proc/\(pid)/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        var result: [Int: String] = [:]
        for name in names {
            guard let number = Int(name) else { continue }
            result[number] = try? FileManager.default.destinationOfSymbolicLink(
                atPath: folder + "/" + name)
        }
        return result
    }

    /// The processes in whose command line or environment a path stands.
    ///
    /// Without root, the environment of a process that lets nobody trace it is not seen.
    static func naming(_ path: String) -> [pid_t] {
        all.filter { pid in
            pid != getpid() && isRunning(pid)
                && ["cmdline", "environ"].contains { text(pid, $0)?.contains(path) ?? false }
        }
    }

    /// Waits until something holds.
    ///
    /// - Parameter timeout: seconds.
    static func wait(_ timeout: Double = 10, until condition: () -> Bool) -> Bool {
        let deadline = Date(timeIntervalSinceNow: timeout)
        while !condition() {
            guard Date() < deadline else { return false }
            usleep(2000)
        }
        return true
    }
}
