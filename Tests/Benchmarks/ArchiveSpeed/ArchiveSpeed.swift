import AccountImport
import Glibc
import LinuxSystem
import SecretMemory

/// Reads archives over and over in one process, as `account import` does, and prints how many it
/// has read in a second.
///
///     archive-speed ROUNDS FILE…
@main
enum ArchiveSpeed {
    static func main() { exit(run()) }

    nonisolated private static func run() -> Int32 {
        guard let words = try? ProcessArguments.all(), let first = words.first,
            let rounds = Int(first), rounds > 0, words.count > 1
        else { return 2 }
        do {
            let files = try words.dropFirst().map { path throws(Errno) in
                try Files.readWhole(path, limit: ImportLimits.maximumFile)
            }
            let arena = try SecretArena(
                capacity: ImportLimits.smallestArena, preferring: .lockedPages)
            try StandardStream.print("\(speed(files, rounds, arena))\n", to: StandardStream.output)
            return 0
        } catch { return 1 }
    }

    // A file that is rejected is no archive to measure with.
    private static func speed(
        _ files: [[UInt8]], _ rounds: Int, _ arena: SecretArena
    ) throws(ImportError) -> Double {
        var reader = ArchiveReader(arena: arena)
        let supplement = ImportSupplement(now: 1_767_225_600)
        let start = Clock.realtime()
        for _ in 0..<rounds {
            for file in files { _ = try reader.read(file.span, supplement: supplement) }
        }
        let end = Clock.realtime()
        let took =
            Double(end.seconds - start.seconds)
            + Double(end.nanoseconds - start.nanoseconds) / 1_000_000_000
        return Double(rounds * files.count) / took
    }
}
