package import AccountCommands
package import Accounts
import JSON
import PropertyList
package import SecretMemory

/// The account in the forms that apps and other programs read, in locked memory.
package enum AccountExport {
    /// The class in which the app that this program goes back to keeps its account.
    static let usualClassName = "SinaWeibo.ZFSinaUserAccount"
    /// Bytes that an account can take in any of the forms.
    private static let maximumSize = 65_536

    /// What a field of the account is.
    enum Value: Equatable {
        case accessToken, refreshToken
        case text(String)
        case number(Int64)
        /// Seconds since 1970.
        case date(Int64)
    }

    /// Writes an account.
    ///
    /// - Throws: for a list of keys or a class name that is none, and when locked memory is full.
    package static func write(
        _ account: borrowing UserAccount, _ options: ExportOptions, in arena: SecretArena
    ) throws(CommandFailure) -> SecretBuffer {
        let fields = try ExportFields(options.keys)
        let className = options.className ?? usualClassName
        guard ExportFields.isName(className), !className.hasPrefix("NS") else {
            throw CommandFailure(
                .usage, "--class-name takes the name of an app's class, not '\(className)'")
        }
        do throws(PropertyListError) {
            switch options.format {
            case .propertyList: return try propertyList(account, fields, arena)
            case .keyedArchive:
                return try KeyedArchiveWriter.write(account, fields, className, arena)
            case .json: return try json(account, fields, arena)
            }
        } catch {
            throw CommandFailure(ImportError(error))
        }
    }

    /// The value of a field; nil where the account has none.
    static func value(_ field: ExportFields.Field, of account: borrowing UserAccount) -> Value? {
        switch field {
        case .accessToken: return .accessToken
        case .refreshToken:
            switch account.refreshToken {
            case .some: return .refreshToken
            case .none: return nil
            }
        case .uid: return .text(account.uid)
        case .screenName: return account.screenName.map { .text($0) }
        case .avatarLarge: return account.avatarLarge.map { .text($0) }
        case .expiresIn: return account.expiry.expiresIn.map { .number($0) }
        case .issuedAt: return account.expiry.issuedAt.map { .date($0) }
        case .expiresDate: return .date(account.expiry.expiresAt)
        }
    }

    private static func propertyList(
        _ account: borrowing UserAccount, _ fields: ExportFields, _ arena: SecretArena
    ) throws(PropertyListError) -> SecretBuffer {
        var writer = try PropertyListWriter.make(in: arena)
        var members: [(key: PropertyListWriter.Reference, value: PropertyListWriter.Reference)] = []
        for entry in fields.entries {
            guard let value = value(entry.field, of: account) else { continue }
            let key = try writer.add(string: entry.key)
            members.append((key, try writer.add(value, of: account)))
        }
        let root = try writer.add(dictionary: members)
        return try writer.finish(root: root)
    }

    private static func json(
        _ account: borrowing UserAccount, _ fields: ExportFields, _ arena: SecretArena
    ) throws(PropertyListError) -> SecretBuffer {
        do throws(SecretMemoryError) {
            var out = try SecretBuffer(arena: arena, capacity: 1024, limit: maximumSize)
            try out.append("{")
            var isFirst = true
            for entry in fields.entries {
                guard let value = value(entry.field, of: account) else { continue }
                if !isFirst { try out.append(",") }
                isFirst = false
                try out.appendJSONString(entry.key)
                try out.append(":")
                try append(value, of: account, to: &out)
            }
            try out.append("}\n")
            return out
        } catch { throw .memory(error) }
    }

    private static func append(
        _ value: Value, of account: borrowing UserAccount, to out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        switch value {
        case .accessToken:
            try account.accessToken.withBytes { bytes throws(SecretMemoryError) in
                try out.appendJSONString(bytes)
            }
        case .refreshToken:
            switch account.refreshToken {
            case .some(let token):
                try token.withBytes { bytes throws(SecretMemoryError) in
                    try out.appendJSONString(bytes)
                }
            case .none: return
            }
        case .text(let text): try out.appendJSONString(text)
        case .number(let number): try out.appendJSON(number)
        case .date(let time): try out.appendJSONString(CivilTime.rfc3339(time))
        }
    }
}

extension PropertyListWriter {
    /// Adds a value of an account.
    mutating func add(
        _ value: AccountExport.Value, of account: borrowing UserAccount
    ) throws(PropertyListError) -> Reference {
        switch value {
        case .accessToken:
            return try add(secret: account.accessToken)
        case .refreshToken:
            switch account.refreshToken {
            case .some(let token): return try add(secret: token)
            case .none: throw .unwritable
            }
        case .text(let text): return try add(string: text)
        case .number(let number): return try add(integer: number)
        case .date(let time): return try add(date: Double(time))
        }
    }

    private mutating func add(
        secret: borrowing SecretBytes
    ) throws(PropertyListError) -> Reference {
        try secret.withBytes { bytes throws(PropertyListError) in try add(string: bytes) }
    }
}
