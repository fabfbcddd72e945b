import AccountCommands
import Glibc

@main
enum Account {
    static func main() { exit(run()) }

    // Not the main actor's: that would link the concurrency runtime.
    nonisolated static func run() -> Int32 { AccountCommand.run() }
}
