import LinuxSystem

/// Files of Tests/Vectors that a body starts from, and the made-up keys that belong to them.
enum Vectors {
    /// Bytes of the largest that is read.
    private static let limit = 1 << 20

    /// Of Tests/Vectors/sealed/MANIFEST.json.
    static let accountKey = hexadecimal(
        "d2a73c2f1322a0a2519d03874f55bba480af305d1a9e103f704f59d13af40506")
    static let keyID = hexadecimal("31c513e4ad3c4b2f37770f1e74f2b3cf")
    static let keyFile = hexadecimal(
        "f6aeee55b4189365543c4e9862b9e47a298712165d54082b7783a5681a828d22")

    /// The bytes of a file, by its path in Tests/Vectors.
    static func file(_ path: String) throws -> [UInt8] {
        let here = Files.split(Files.split(Files.split(#filePath).parent).parent).parent
        return try Files.readWhole("\(here)/Vectors/\(path)", limit: limit)
    }

    private static func hexadecimal(_ text: String) -> [UInt8] {
        let digits = text.utf8.map { UInt8($0 < 0x3A ? $0 - 0x30 : $0 - 0x57) }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
