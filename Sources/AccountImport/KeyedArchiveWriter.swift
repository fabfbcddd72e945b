import Accounts
import PropertyList
import SecretMemory

/// Writes an account as NSKeyedArchiver archives an object of an app's class.
///
/// Objects are numbered in the order in which they are added; number 0 is nil.
struct KeyedArchiveWriter: ~Copyable {
    private typealias Reference = PropertyListWriter.Reference

    /// 1 January 2001, from which NSDate counts, in seconds since 1970.
    private static let referenceDate: Int64 = 978_307_200

    private var list: PropertyListWriter
    private var objects: [Reference] = []
    // The number of NSDate's description, once there is one.
    private var dateClass: UInt32?

    private init(_ arena: SecretArena) throws(PropertyListError) {
        list = try PropertyListWriter.make(in: arena)
    }

    /// Writes it.
    static func write(
        _ account: borrowing UserAccount, _ fields: ExportFields, _ className: String,
        _ arena: SecretArena
    ) throws(PropertyListError) -> SecretBuffer {
        var writer = try KeyedArchiveWriter(arena)
        try writer.start()
        let root = try writer.addObject(account, fields, className)
        return try writer.finish(root: root)
    }

    private mutating func start() throws(PropertyListError) {
        objects.append(try list.add(string: "$null" as StaticString))
    }

    // The object stands before what it refers to, as the archiver writes it, so its place is kept.
    private mutating func addObject(
        _ account: borrowing UserAccount, _ fields: ExportFields, _ className: String
    ) throws(PropertyListError) -> UInt32 {
        let root = UInt32(objects.count)
        objects.append(objects[0])
        var members: [(key: Reference, value: Reference)] = []
        for entry in fields.entries {
            let number: UInt32
            if let value = AccountExport.value(entry.field, of: account) {
                number = try add(value, of: account)
            } else {
                guard fields.writesNil(entry.field) else { continue }
                number = 0
            }
            members.append((try list.add(string: entry.key), try list.add(uid: number)))
        }
        let description = try addClass(className)
        members.append(
            (try list.add(string: "$class" as StaticString), try list.add(uid: description)))
        objects[Int(root)] = try list.add(dictionary: members)
        return root
    }

    private mutating func add(
        _ value: AccountExport.Value, of account: borrowing UserAccount
    ) throws(PropertyListError) -> UInt32 {
        guard case .date(let time) = value else {
            return try append(list.add(value, of: account))
        }
        let description: UInt32
        if let dateClass {
            description = dateClass
        } else {
            description = try addClass("NSDate")
            dateClass = description
        }
        let members = [
            (
                key: try list.add(string: "NS.time" as StaticString),
                value: try list.add(real: Double(time - Self.referenceDate))
            ),
            (
                key: try list.add(string: "$class" as StaticString),
                value: try list.add(uid: description)
            ),
        ]
        return try append(list.add(dictionary: members))
    }

    private mutating func addClass(_ name: String) throws(PropertyListError) -> UInt32 {
        let reference = try list.add(string: name)
        let chain = try list.add(array: [reference, list.add(string: "NSObject" as StaticString)])
        let members = [
            (key: try list.add(string: "$classname" as StaticString), value: reference),
            (key: try list.add(string: "$classes" as StaticString), value: chain),
        ]
        return try append(list.add(dictionary: members))
    }

    private mutating func append(_ object: Reference) -> UInt32 {
        objects.append(object)
        return UInt32(objects.count - 1)
    }

    private consuming func finish(root: UInt32) throws(PropertyListError) -> SecretBuffer {
        let top = try list.add(dictionary: [
            (key: list.add(string: "root" as StaticString), value: list.add(uid: root))
        ])
        let members = [
            (
                key: try list.add(string: "$version" as StaticString),
                value: try list.add(integer: 100_000)
            ),
            (
                key: try list.add(string: "$archiver" as StaticString),
                value: try list.add(string: "NSKeyedArchiver" as StaticString)
            ),
            (key: try list.add(string: "$top" as StaticString), value: top),
            (
                key: try list.add(string: "$objects" as StaticString),
                value: try list.add(array: objects)
            ),
        ]
        let dictionary = try list.add(dictionary: members)
        return try list.finish(root: dictionary)
    }
}
