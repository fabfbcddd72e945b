import JSON

/// The errors that the daemon may answer with.
enum ServerError: Equatable {
    case noAccount, tokenExpired, locked, accountExists, invalidField, storeDamaged, storeFailed
    case opensByItself, wrongKey, noSuchSlot, lastSlot, tooManySlots, tooManyRetiredKeys
    case permissionDenied, methodMissing, unknown

    /// Reads an error's name.
    init(_ name: JSONIndex.Node, _ index: borrowing JSONIndex, _ text: Span<UInt8>) {
        func named(_ candidate: StaticString) -> Bool {
            index.string(name, equals: candidate, in: text)
        }
        self =
            if named("org.accountd.Account.NoAccount") {
                .noAccount
            } else if named("org.accountd.Account.TokenExpired") {
                .tokenExpired
            } else if named("org.accountd.Account.Locked") {
                .locked
            } else if named("org.accountd.Account.AccountExists") {
                .accountExists
            } else if named("org.accountd.Account.InvalidField") {
                .invalidField
            } else if named("org.accountd.Account.StoreDamaged") {
                .storeDamaged
            } else if named("org.accountd.Account.StoreFailed") {
                .storeFailed
            } else if named("org.accountd.Account.OpensByItself") {
                .opensByItself
            } else if named("org.accountd.Account.WrongKey") {
                .wrongKey
            } else if named("org.accountd.Keys.NoSuchSlot") {
                .noSuchSlot
            } else if named("org.accountd.Keys.LastSlot") {
                .lastSlot
            } else if named("org.accountd.Keys.TooManySlots") {
                .tooManySlots
            } else if named("org.accountd.Keys.TooManyRetiredKeys") {
                .tooManyRetiredKeys
            } else if named("org.varlink.service.PermissionDenied") {
                .permissionDenied
            } else if named("org.varlink.service.MethodNotFound")
                || named("org.varlink.service.InterfaceNotFound")
                || named("org.varlink.service.MethodNotImplemented")
            {
                .methodMissing
            } else {
                .unknown
            }
    }
}
