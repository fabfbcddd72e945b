import AccountCommands
import Accounts
import SecretMemory

/// What `--dry-run` shows of an account: all but the tokens.
enum ImportReport {
    static func text(of imported: borrowing ImportedAccount, isJSON: Bool) -> String {
        isJSON ? json(imported) : lines(imported)
    }

    private static func lines(_ imported: borrowing ImportedAccount) -> String {
        var rows: [(name: String, value: String)] = [("format", imported.format)]
        if let name = imported.className { rows.append(("class", name)) }
        rows.append(("uid", imported.account.uid))
        if let name = imported.account.screenName { rows.append(("screen name", name)) }
        if let address = imported.account.avatarLarge { rows.append(("avatar", address)) }
        let expiry = imported.account.expiry
        if let issuedAt = expiry.issuedAt {
            rows.append(("granted", CivilTime.rfc3339(issuedAt)))
        }
        rows.append(("expires", CivilTime.rfc3339(expiry.expiresAt)))
        rows.append(("refresh token", hasRefreshToken(imported.account) ? "yes" : "no"))
        var text = ""
        for row in rows {
            let gap = String(repeating: " ", count: 15 - row.name.utf8.count)
            text += row.name + gap + ControlCharacters.escaped(row.value) + "\n"
        }
        return text
    }

    private static func json(_ imported: borrowing ImportedAccount) -> String {
        var object = JSONText()
        object.add("format", imported.format)
        object.add("class_name", imported.className)
        object.add("uid", imported.account.uid)
        object.add("screen_name", imported.account.screenName)
        object.add("avatar_large", imported.account.avatarLarge)
        let expiry = imported.account.expiry
        object.add("expires_in", expiry.expiresIn)
        object.add("issued_at", expiry.issuedAt)
        object.add("expires_at", expiry.expiresAt)
        object.add("expires_date", CivilTime.rfc3339(expiry.expiresAt))
        object.add("has_refresh_token", hasRefreshToken(imported.account))
        object.add("warnings", imported.warnings)
        return object.line
    }

    private static func hasRefreshToken(_ account: borrowing UserAccount) -> Bool {
        switch account.refreshToken {
        case .some: true
        case .none: false
        }
    }
}
