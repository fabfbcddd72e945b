import AccountImport
import Glibc

@main
enum Import {
    // One line, as in the daemon.
    static func main() { exit(run()) }

    nonisolated private static func run() -> Int32 { AccountImport.run() }
}
