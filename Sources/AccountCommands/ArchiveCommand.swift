/// `account archive` and `account draft`, which a program of their own runs: what seals, and what reads
/// the files of other programs, stays out of `account`.
enum ArchiveCommand {
    /// The program's name.
    static let program = "account-archive"
    /// What it is needed for.
    static let commands = "account archive and account draft"

    static let description = CommandDescription(
        usage: "put|get|list|remove|restore|import|reseal [NAME|FILE] [options]",
        """
        Keeps values by name, each sealed in a file of its own beside the account, and readable by
        programs that use the library Archiving. NAME is any text of 1 to 180 bytes. A put is whole
        or not at all, and keeps the generation before.

        """, options: ArchiveOptions.all, operands: ArchiveOptions.actions,
        notes: """
            put NAME       stores what comes through standard input: JSON, or anything with --raw
            get NAME       prints it; what programs have stored is printed as JSON
            list           the names; works when the store is locked
            remove NAME    forgets it, and the generation before it
            restore NAME   puts that generation in its place, and it in that one's
            import FILE    stores what an iOS app has archived, under the name of --as: lists and
                           dictionaries of models (NSKeyedArchiver), drafts, CBArchiver's .bin
                           files, user defaults, StructArchiver's binaries; - is standard input
            reseal         seals all under the present master key, and has the earlier one
                           forgotten; account key rotate and key remove do it by themselves

            """)
}

/// `account draft`.
enum DraftCommand {
    static let description = CommandDescription(
        usage: "add|list|show|edit|remove|export|import [N|FILE] [options]",
        """
        Keeps posts that are not sent yet, with their pictures, in one sealed archive, the newest
        first. N is a draft's number in the list, counted from 1, or its id.

        """, options: DraftOptions.all, operands: DraftOptions.actions,
        notes: """
            add            a new draft, before all others
            list           the drafts, the newest first, with their numbers
            show N         one of them, with its text, without its pictures
            edit N         what the options say is changed, and the time; it stays where it is
            remove N       forgets it
            export N       writes its text, its pictures and draft.json into the new --output DIR
            import FILE    the drafts that an iOS app has archived go behind those that are there;
                           - is standard input

            """)
}
