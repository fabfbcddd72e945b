package import JSON
package import Sealing
package import SecretMemory
package import Varlink

/// The call that asks the daemon for an archive's key, and its answer.
package enum ArchiveKeyCall {
    /// Writes the call.
    package static func write(
        _ name: ArchiveName, under id: MasterKeyID?, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        var call = try MessageWriter.beginCall("org.accountd.Keys.DeriveArchiveKey", &out)
        try call.field("name", name.text, &out)
        try call.field("key_id", optional: id?.description, &out)
        try call.end(&out)
    }

    /// Reads an answer.
    ///
    /// - Parameters:
    ///   - path: the daemon's socket, for messages.
    ///   - store: the state directory, for messages.
    /// - Returns: nil where the store has no such master key.
    static func read(
        _ text: Span<UInt8>, asking path: String, store: String, _ arena: SecretArena
    ) throws(ArchiveError) -> ArchiveKey? {
        var index = JSONIndex()
        let notUnderstood = ArchiveError.daemon(
            "the daemon at \(path) gave an answer that is not understood")
        let answer: ClientReply
        do { answer = try ClientReply(reading: text, with: &index) } catch { throw notUnderstood }
        if let error = answer.error {
            if index.string(error, equals: "org.accountd.Keys.NoSuchKey", in: text) { return nil }
            throw failure(error, index, text, path, store)
        }
        let key: ArchiveKey?
        do { key = try self.key(answer, index, text, arena) } catch { throw ArchiveError(error) }
        guard let key else { throw notUnderstood }
        return key
    }

    private static func failure(
        _ error: JSONIndex.Node, _ index: borrowing JSONIndex, _ text: Span<UInt8>,
        _ path: String, _ store: String
    ) -> ArchiveError {
        func named(_ candidate: StaticString) -> Bool {
            index.string(error, equals: candidate, in: text)
        }
        if named("org.accountd.Account.Locked") { return .locked(store: store) }
        if named("org.accountd.Account.NoAccount") { return .noKey(store: store) }
        if named("org.accountd.Account.StoreDamaged") {
            return .storeDamaged("\(store) is damaged; `account doctor` says what is left")
        }
        if named("org.varlink.service.PermissionDenied") {
            return .notPermitted("the daemon at \(path) gives its keys to its own user alone")
        }
        if named("org.varlink.service.MethodNotFound")
            || named("org.varlink.service.InterfaceNotFound")
        {
            return .daemon("the daemon at \(path) is of an earlier version; end it, and try again")
        }
        return .daemon("the daemon at \(path) did not give the key of the archive")
    }

    /// Reads the key from an answer that is no error; nil when it is not as it must be.
    package static func key(
        _ answer: ClientReply, _ index: borrowing JSONIndex, _ text: Span<UInt8>,
        _ arena: SecretArena
    ) throws(SecretMemoryError) -> ArchiveKey? {
        guard let keyNode = answer.field("key", index, text),
            let idNode = answer.field("key_id", index, text),
            index.decodedCount(of: keyNode, in: text) == 2 * MasterKey.size,
            index.decodedCount(of: idNode, in: text) == 2 * MasterKeyID.size
        else { return nil }
        var key = try SecretBuffer(arena: arena, capacity: MasterKey.size)
        guard try appendHexadecimal(keyNode, index, text, &key) else { return nil }
        var id = try SecretBuffer(arena: arena, capacity: MasterKeyID.size)
        guard try appendHexadecimal(idNode, index, text, &id) else { return nil }
        guard let id = id.withBytes({ MasterKeyID($0) }) else { return nil }
        return ArchiveKey(bytes: try SecretBytes(copying: key, in: arena), id: id)
    }

    private static func appendHexadecimal(
        _ node: JSONIndex.Node, _ index: borrowing JSONIndex, _ text: Span<UInt8>,
        _ out: inout SecretBuffer
    ) throws(SecretMemoryError) -> Bool {
        var high: UInt8?
        var isGood = true
        try index.forEachByte(of: node, in: text) { byte throws(SecretMemoryError) in
            guard let digit = digit(byte) else {
                isGood = false
                return
            }
            guard let first = high else {
                high = digit
                return
            }
            high = nil
            try out.append(first << 4 | digit)
        }
        return isGood
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
