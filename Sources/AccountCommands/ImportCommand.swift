/// `account import` and `account export`, which a program of their own runs: what reads hostile
/// files, and the libraries that it needs, stay out of `account`, which scripts start before each
/// request.
enum ImportCommand {
    /// The program's name.
    static let program = "account-import"
    /// What it is needed for.
    static let commands = "account import and account export"

    static let description = CommandDescription(
        usage: "FILE [options]",
        """
        Stores the account that an app has kept in FILE; - is standard input. Read are archives of
        iOS apps (NSKeyedArchiver), property lists, binary or XML, the preferences of Android's
        Weibo SDK, and JSON of an app's model. What the file is, is told by its content.

        """, options: ImportOptions.all,
        notes: """
            TIME is 2026-01-08T00:00:00Z or seconds since 1970. An archive without an expiry needs
            --expires-at, or the other two as far as it lacks them.

            """, takesFile: true)
}

/// `account export`.
enum ExportCommand {
    static let description = CommandDescription(
        usage: "--output FILE|- --i-understand [options]",
        """
        Writes the account, its tokens included, in a form that apps and other programs read. The
        file is made for you alone (mode 0600). Whoever reads it is the user to Weibo, until the
        token expires: remove it once it has served.

        """, options: ExportOptions.all,
        notes: """
            LIST names what is written, each as FIELD or FIELD=KEY with the key that the app looks
            for: access_token,expires_date=expiresDate,uid=userID. FIELD is access_token,
            refresh_token, uid, screen_name, avatar_large, expires_in, issued_at or expires_date.

            """)
}
