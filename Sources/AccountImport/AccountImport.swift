import AccountCommands
import Accounts
import LinuxSystem
import SecretMemory

/// What `account-import` does: `account import` and `account export`.
package enum AccountImport {
    /// Runs this process's command line and gives its exit status.
    package static func run() -> Int32 {
        LibexecProgram.run(importing: ImportTask.run, exporting: ExportTask.run)
    }
}
