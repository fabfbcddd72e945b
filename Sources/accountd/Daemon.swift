import AccountDaemon
import Glibc

@main
enum Daemon {
    // One line: in language mode 6 `main` is on the main actor, and a closure in it would link the
    // concurrency runtime and Dispatch into the daemon.
    static func main() { exit(run()) }

    nonisolated private static func run() -> Int32 { AccountDaemon.run() }
}
