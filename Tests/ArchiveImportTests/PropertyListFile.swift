import PropertyList
import SecretMemory
import TestSupport

/// Archives that are made by hand.
enum PropertyListFile {
    /// An archive of objects, the first of them `$null`; the root is one of them by its number.
    static func archive(
        _ body: (inout PropertyListWriter, (Int) -> UInt32) throws -> (
            objects: [PropertyListWriter.Reference], root: UInt32
        )
    ) throws -> [UInt8] {
        let arena = try SecretArena.forTest()
        var list = try PropertyListWriter(
            into: SecretBuffer(arena: arena, capacity: 1024, limit: 1 << 19),
            limits: PropertyListLimits(maximumObjects: 1 << 16))
        let (objects, number) = try body(&list) { UInt32($0) }
        let top = try list.add(dictionary: [
            (try list.add(string: "root"), try list.add(uid: number))
        ])
        let root = try list.add(dictionary: [
            (try list.add(string: "$version"), try list.add(integer: 100_000)),
            (try list.add(string: "$archiver"), try list.add(string: "NSKeyedArchiver")),
            (try list.add(string: "$top"), top),
            (try list.add(string: "$objects"), try list.add(array: objects)),
        ])
        return try list.finish(root: root).withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }
}
