import ArchiveCommands
import Glibc

@main
enum Archive {
    // One line, as in the daemon.
    static func main() { exit(run()) }

    nonisolated private static func run() -> Int32 { ArchiveCommands.run() }
}
