import AccountCommands

/// What `account-archive` does: `account archive` and `account draft`.
package enum ArchiveCommands {
    /// Runs this process's command line and gives its exit status.
    package static func run() -> Int32 {
        LibexecProgram.run(archives: ArchiveTask.run, drafts: DraftTask.run)
    }
}
