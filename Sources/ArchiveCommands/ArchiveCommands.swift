/// What `account-archive` does: `account archive` and `account draft`.
package enum ArchiveCommands {
    /// Runs this process's command line and gives its exit status.
    package static func run() -> Int32 { 2 }
}
