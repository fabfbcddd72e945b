import JSON
import SecretMemory
import Varlink

extension Step {
    /// Writes what the call wants besides the client's id, with nothing but the writer: `wants` says
    /// what must come of it.
    func writeWants(
        _ writer: inout MessageWriter, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        switch self {
        case .start, .test01, .end: break
        case .test02: try writer.field("bool", true, &out)
        case .test03: try writer.field("int", 1 as Int64, &out)
        case .test04: try writer.field("float", float: 1, &out)
        case .test05: try writer.field("string", "ping", &out)
        case .test06: try Self.writeBasics(&writer, &out)
        case .test07:
            try writer.openObject("struct", &out)
            try Self.writeBasics(&writer, &out)
            try writer.closeObject(&out)
        case .test08: try Self.writeMap("map", &writer, &out)
        case .test09: try Self.writeSet("set", &writer, &out)
        case .test10: try Self.writeMyType(&writer, &out)
        case .test11:
            let replies = (1...Self.replyCount).map { Self.reply(number: $0) }
            try writer.field("last_more_replies", replies, &out)
        }
    }

    /// What the call that has several replies gives in one of them.
    static func reply(number: Int) -> String { "Reply number \(number)" }

    private static func writeBasics(
        _ writer: inout MessageWriter, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        try writer.field("bool", false, &out)
        try writer.field("int", 2 as Int64, &out)
        try writer.field("float", float: .pi, &out)
        try writer.field("string", "a lot of string", &out)
    }

    private static func writeMap(
        _ name: StaticString, _ writer: inout MessageWriter, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        try writer.openObject(name, &out)
        try writer.field("foo", "Foo", &out)
        try writer.field("bar", "Bar", &out)
        try writer.closeObject(&out)
    }

    // A set is an object whose members are empty objects.
    private static func writeSet(
        _ name: StaticString, _ writer: inout MessageWriter, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        try writer.openObject(name, &out)
        for member in ["one", "two", "three"] as [StaticString] {
            try writer.openObject(member, &out)
            try writer.closeObject(&out)
        }
        try writer.closeObject(&out)
    }

    private static func writeMyType(
        _ writer: inout MessageWriter, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        try writer.openObject("mytype", &out)
        try writer.openObject("object", &out)
        try writer.field("method", "org.varlink.certification.Test09", &out)
        try writer.openObject("parameters", &out)
        try writeMap("map", &writer, &out)
        try writer.closeObject(&out)
        try writer.closeObject(&out)
        try writer.field("enum", "two", &out)
        try writer.openObject("struct", &out)
        try writer.field("first", 1 as Int64, &out)
        try writer.field("second", "2", &out)
        try writer.closeObject(&out)
        try writer.field("array", ["one", "two", "three"], &out)
        try writeMap("dictionary", &writer, &out)
        try writeSet("stringset", &writer, &out)
        try writer.name("nullable", &out)
        try out.append("null")
        try writeInterface(&writer, &out)
        try writer.closeObject(&out)
    }

    private static func writeInterface(
        _ writer: inout MessageWriter, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        try writer.openObject("interface", &out)
        try writer.openList("foo", &out)
        try writer.element(&out)
        try out.append("null")
        try writer.openObject(&out)
        try writer.field("foo", "foo", &out)
        try writer.field("bar", "bar", &out)
        try writer.closeObject(&out)
        try writer.element(&out)
        try out.append("null")
        try writer.openObject(&out)
        try writer.field("one", "foo", &out)
        try writer.field("two", "bar", &out)
        try writer.closeObject(&out)
        try writer.closeList(&out)
        try writer.openObject("anon", &out)
        try writer.field("foo", true, &out)
        try writer.field("bar", false, &out)
        try writer.closeObject(&out)
        try writer.closeObject(&out)
    }
}
