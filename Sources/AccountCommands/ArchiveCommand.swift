/// `account archive` and `account draft`, which a program of their own runs: what seals, and what reads
/// the files of other programs, stays out of `account`.
enum ArchiveCommand {
    /// The program's name.
    static let program = "account-archive"
    /// What it is needed for.
    static let commands = "account archive and account draft"

    static let description = CommandDescription(
        usage: "put|get|remove|restore NAME | list | import FILE --as NAME [options]",
        """
        Keeps values by name, each sealed in a file of its own beside the account, and readable by
        programs that use the library Archiving. NAME is any text of 1 to 180 bytes. A put is whole
        or not at all, and keeps the generation before.

        """, options: ArchiveOptions.all, operands: ArchiveOptions.actions,
        notes: """
            What is put is JSON, unless --raw says that it may be anything. get prints the values
            of programs as JSON too. import reads NSKeyedArchiver's arrays and dictionaries of
            models, CBArchiver's .bin files, user defaults, and StructArchiver's binaries.

            """, takesFile: true)
}

/// `account draft`.
enum DraftCommand {
    static let description = CommandDescription(
        usage: "add|list|show|edit|remove|export|import [N|FILE] [options]",
        """
        Keeps posts that are not sent yet, with their pictures, in one sealed archive, the newest
        first. N is a draft's number in the list, counted from 1, or its id.

        """, options: DraftOptions.all, operands: DraftOptions.actions, takesFile: true)
}
