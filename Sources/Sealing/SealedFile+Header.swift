extension SealedFile {
    /// What a sealed file says in the clear.
    package struct Header: Equatable, Sendable {
        /// The format's version: 1.
        package let version: Int
        /// The algorithms: 1.
        package let suite: Int
        /// The id of the master key that the file is sealed under.
        package let keyID: MasterKeyID
    }

    /// Reads the header of a file, or of at least its first 88 bytes.
    ///
    /// Nothing of it is authentic until the file has been opened.
    ///
    /// - Throws: `.unsupportedVersion`, `.unsupportedSuite`; `.cannotOpen` for anything else that is
    ///   not a sealed file.
    package static func header(of file: Span<UInt8>) throws(SealingError) -> Header {
        // The version is looked at before anything whose place a later version may change.
        guard file.count >= 12, file.extracting(0..<8).elementsEqual(magic) else {
            throw .cannotOpen
        }
        let version = Int(file[8]) | Int(file[9]) << 8
        guard version == Self.version else { throw .unsupportedVersion(version) }
        let suite = Int(file[10]) | Int(file[11]) << 8
        guard suite == Self.suite else { throw .unsupportedSuite(suite) }
        guard file.count >= headerSize, file.extracting(12..<16).elementsEqual([0, 0, 0, 0]),
            let keyID = MasterKeyID(file.extracting(16..<32))
        else { throw .cannotOpen }
        return Header(version: version, suite: suite, keyID: keyID)
    }

    /// Bytes 0 to 63 of a file, the associated data of its chunks.
    static func clearHeader(keyID: MasterKeyID, salt: [UInt8]) -> [UInt8] {
        var bytes = magic
        bytes += UInt16(version).littleEndianBytes
        bytes += UInt16(suite).littleEndianBytes
        bytes += [0, 0, 0, 0]
        bytes += keyID.bytes
        bytes += salt
        return bytes
    }
}
