import Archiving
import Glibc
import LinuxSystem
import SecretMemory

/// Writes or reads one archive over and over in one process, part by part, and prints how long each
/// time took, in microseconds.
///
///     stream-speed write|read STATE BYTES ROUNDS [memory]
///
/// With `memory` the last line is the most memory that it has had, in KiB.
@main
enum StreamSpeed {
    private static let part = 1 << 16

    static func main() { exit(run()) }

    nonisolated private static func run() -> Int32 {
        guard let words = try? ProcessArguments.all(), [4, 5].contains(words.count),
            let size = Int(words[2]), let rounds = Int(words[3])
        else { return 2 }
        do throws(ArchiveError) {
            let archiver = Archiver(store: try ArchiveStore(path: words[1]))
            let bytes = [UInt8](repeating: 0x5A, count: part)
            for _ in 0..<rounds {
                let start = now()
                if words[0] == "write" {
                    try write(size, bytes, archiver)
                } else {
                    try read(size, archiver)
                }
                let took = now() - start
                try? StandardStream.print("\(took / 1000)\n", to: StandardStream.output)
            }
            if words.count == 5 {
                try? StandardStream.print("\(peak())\n", to: StandardStream.output)
            }
            return 0
        } catch {
            try? StandardStream.print("\(error)\n", to: StandardStream.error)
            return 1
        }
    }

    private static func write(
        _ size: Int, _ bytes: [UInt8], _ archiver: Archiver
    ) throws(ArchiveError) {
        var writer = try archiver.writer(named: "measured")
        var left = size
        while left > 0 {
            let count = min(left, bytes.count)
            try writer.append(bytes.span.extracting(0..<count))
            left -= count
        }
        try writer.commit()
    }

    private static func read(_ size: Int, _ archiver: Archiver) throws(ArchiveError) {
        guard let opened = try archiver.reader(named: "measured") else {
            throw .damaged(archive: "measured", reason: "it is not there")
        }
        var reader = opened
        var count = 0
        while try reader.next({ count += $0.count }) {}
        guard count == size else {
            throw .damaged(archive: "measured", reason: "it has another size")
        }
    }

    private static func now() -> Int64 {
        var time = timespec()
        // SAFETY: one structure to fill.
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    // proc_pid_status(5), "VmHWM"
    private static func peak() -> Int {
        guard let status = try? Files.readWhole("/proc/self/status", limit: 1 << 16) else {
            return 0
        }
        for line in String(decoding: status, as: UTF8.self).split(separator: "\n")
        where line.hasPrefix("VmHWM:") {
            return Int(line.filter(\.isNumber)) ?? 0
        }
        return 0
    }
}
