import SecretMemory

@testable import PropertyList

/// Makes archives by choices, at the level of objects: references that lead anywhere, classes that
/// are none, fields of any kind.
///
/// What a fuzzer does to bytes hardly ever gets past the reader of the
/// property list below.
struct ArchiveMaker {
    typealias Reference = PropertyListWriter.Reference

    /// Of what the archives are.
    struct Words {
        let classes: [StaticString]
        let keys: [StaticString]
        let texts: [StaticString]
        let data: [[UInt8]]

        /// An account.
        static let account = Words(
            classes: [
                "UserAccount", "NSArray", "NSDictionary", "NSString", "NSDate", "NSData", "NSSet",
                "NSNull", "NSURL", "NSObject", "NSMutableString", "NSOrderedSet",
            ],
            keys: [
                "access_token", "uid", "expires_date", "screen_name", "avatar_large", "expires_in",
                "refresh_token", "created_time", "NS.objects", "NS.keys", "NS.string", "NS.time",
                "NS.data", "NS.relative", "$class", "$0", "name", "isLogin", "statusCode",
                "issued_at", "$classname", "$classes",
            ],
            texts: [
                "$null", "", "2.00made-up-token", "9900001001", "access_token",
                "2029-06-01T08:30:15Z", "1874997015", "N", "uid", "expires_date",
                "https://example.invalid/a",
            ],
            data: [[1, 2, 3]])
    }

    private let words: Words
    private var choices: FuzzInput
    private let count: Int

    private init(_ words: Words, _ choices: FuzzInput, count: Int) {
        self.words = words
        self.choices = choices
        self.count = count
    }

    /// Makes one.
    ///
    /// - Returns: nil where what was chosen is no property list: a key that stands twice.
    static func make(
        _ choices: FuzzInput, of words: Words = .account, in arena: SecretArena
    ) throws -> SecretBuffer? {
        var choices = choices
        let count = 2 + choices.below(14)
        var maker = ArchiveMaker(words, choices, count: count)
        do throws(PropertyListError) {
            return try maker.make(arena)
        } catch {
            if case .memory = error { throw error }
            return nil
        }
    }

    /// User defaults with an archive among them, as data and within a dictionary.
    static func defaults(
        around archive: borrowing SecretBuffer, in arena: SecretArena
    ) throws -> SecretBuffer {
        var list = try PropertyListWriter(
            into: SecretBuffer(arena: arena, capacity: 1024, limit: 1 << 19))
        let data = try archive.withBytes { bytes throws(PropertyListError) in
            try list.add(data: bytes)
        }
        let name = try list.add(string: "a" as StaticString)
        let members = [
            (key: name, value: data),
            (
                key: try list.add(string: "1" as StaticString),
                value: try list.add(dictionary: [(key: name, value: data)])
            ),
            (
                key: try list.add(string: "n" as StaticString),
                value: try list.add(real: 1.5)
            ),
        ]
        return try list.finish(root: list.add(dictionary: members))
    }

    private mutating func make(_ arena: SecretArena) throws(PropertyListError) -> SecretBuffer {
        let buffer: SecretBuffer
        do { buffer = try SecretBuffer(arena: arena, capacity: 1024, limit: 1 << 18) } catch {
            throw .memory(error)
        }
        var list = try PropertyListWriter(into: buffer)
        var objects = [try list.add(string: "$null" as StaticString)]
        while objects.count < count { objects.append(try object(&list)) }
        let top = try list.add(dictionary: [
            (try list.add(string: "root" as StaticString), try reference(&list))
        ])
        let version: Int64 = choices.byte() == 255 ? 1 : 100_000
        let members = [
            (try list.add(string: "$version" as StaticString), try list.add(integer: version)),
            (
                try list.add(string: "$archiver" as StaticString),
                try list.add(string: "NSKeyedArchiver" as StaticString)
            ),
            (try list.add(string: "$top" as StaticString), top),
            (try list.add(string: "$objects" as StaticString), try list.add(array: objects)),
        ].map { (key: $0.0, value: $0.1) }
        let root = try list.add(dictionary: members)
        return try list.finish(root: root)
    }

    private mutating func object(
        _ list: inout PropertyListWriter
    ) throws(PropertyListError) -> Reference {
        switch choices.byte() % 8 {
        case 0, 1: return try fields(&list)
        case 2: return try described(&list)
        case 3: return try collection(&list)
        default: return try value(&list)
        }
    }

    // An object of a class, which is mostly the last object.
    private mutating func fields(
        _ list: inout PropertyListWriter
    ) throws(PropertyListError) -> Reference {
        var members: [(key: Reference, value: Reference)] = []
        for _ in 0...choices.below(6) {
            members.append((try list.add(string: key()), try value(&list)))
        }
        if choices.byte() % 4 != 0 {
            let uid = choices.byte() % 4 == 0 ? choices.below(count) : count - 1
            members.append(
                (try list.add(string: "$class" as StaticString), try list.add(uid: UInt32(uid))))
        }
        return try list.add(dictionary: members)
    }

    private mutating func described(
        _ list: inout PropertyListWriter
    ) throws(PropertyListError) -> Reference {
        let name = try list.add(string: words.classes[choices.below(words.classes.count)])
        var chain = [name]
        for _ in 0..<choices.below(3) {
            chain.append(try list.add(string: words.classes[choices.below(words.classes.count)]))
        }
        return try list.add(dictionary: [
            (try list.add(string: "$classname" as StaticString), name),
            (try list.add(string: "$classes" as StaticString), try list.add(array: chain)),
        ])
    }

    private mutating func collection(
        _ list: inout PropertyListWriter
    ) throws(PropertyListError) -> Reference {
        var members: [(key: Reference, value: Reference)] = []
        for name: StaticString in ["NS.objects", "NS.keys"] {
            var elements: [Reference] = []
            for _ in 0..<choices.below(5) { elements.append(try reference(&list)) }
            members.append((try list.add(string: name), try list.add(array: elements)))
        }
        members.append((try list.add(string: "$class" as StaticString), try reference(&list)))
        return try list.add(dictionary: members)
    }

    private mutating func reference(
        _ list: inout PropertyListWriter
    ) throws(PropertyListError) -> Reference {
        // Now and then one past the objects.
        try list.add(uid: UInt32(choices.below(count + (choices.byte() == 255 ? 2 : 0))))
    }

    private mutating func value(
        _ list: inout PropertyListWriter
    ) throws(PropertyListError) -> Reference {
        switch choices.byte() % 10 {
        case 0: try list.add(boolean: choices.byte() & 1 == 0)
        case 1: try list.add(integer: Int64(truncatingIfNeeded: choices.integer(size: 5)))
        case 2: try list.add(real: Double(bitPattern: choices.word()))
        case 3: try list.add(date: Double(choices.integer(size: 4)))
        case 4: try data(&list)
        case 5, 6: try list.add(string: words.texts[choices.below(words.texts.count)])
        default: try reference(&list)
        }
    }

    private mutating func data(
        _ list: inout PropertyListWriter
    ) throws(PropertyListError) -> Reference {
        // The only one is taken without a choice, as the corpora of accounts have it.
        let bytes = words.data[words.data.count > 1 ? choices.below(words.data.count) : 0]
        return try list.add(data: bytes.span)
    }

    private mutating func key() -> StaticString { words.keys[choices.below(words.keys.count)] }
}
