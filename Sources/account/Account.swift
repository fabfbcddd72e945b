import AccountCommands
import Glibc

@main
enum Account {
    static func main() { exit(run()) }

    // Not the main actor's: that would link the concurrency runtime.
    nonisolated static func run() -> Int32 {
        // SAFETY: the arguments live as long as the process.
        unsafe AccountCommand.run(count: CommandLine.argc, words: CommandLine.unsafeArgv)
    }
}
