import JSON
import SecretMemory
import TestSupport
import Testing
import Varlink

@Suite struct MessageWriterTests {
    /// What is written, as text.
    private func text(
        _ write: (inout SecretBuffer) throws -> Void
    ) throws -> String {
        var out = try SecretBuffer(
            arena: SecretArena.forTest(capacity: 65_536), capacity: 16, limit: 4096)
        try write(&out)
        return out.withBytes { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
    }

    @Test("a reply without fields")
    func empty() throws {
        #expect(try text { try MessageWriter.beginReply(&$0).end(&$0) } == "{\"parameters\":{}}\0")
    }

    @Test("an error without fields")
    func emptyError() throws {
        #expect(
            try text { try MessageWriter.beginError("a.B", &$0).end(&$0) }
                == "{\"error\":\"a.B\",\"parameters\":{}}\0")
    }

    @Test("fields of every kind stand in their order")
    func fields() throws {
        let written = try text { out in
            var reply = try MessageWriter.beginReply(&out)
            try reply.field("text", "a\"b\\c\n\u{7F}小", &out)
            try reply.field("absent", optional: String?.none, &out)
            try reply.field("present", optional: "x", &out)
            try reply.field("number", Int64.min, &out)
            try reply.field("none", optional: Int64?.none, &out)
            try reply.field("some", optional: 7, &out)
            try reply.field("yes", true, &out)
            try reply.field("list", ["a", "\"", ""], &out)
            try reply.field("nothing", [], &out)
            try reply.end(&out)
        }
        #expect(
            written
                == #"{"parameters":{"text":"a\"b\\c\n\u007f小","present":"x","#
                + #""number":-9223372036854775808,"some":7,"yes":true,"list":["a","\"",""],"#
                + "\"nothing\":[]}}\0")
    }

    @Test("an object is a field among others")
    func object() throws {
        let written = try text { out in
            var reply = try MessageWriter.beginReply(&out)
            try reply.openObject("empty", &out)
            try reply.closeObject(&out)
            try reply.openObject("inner", &out)
            try reply.field("a", 1, &out)
            try reply.field("b", false, &out)
            try reply.closeObject(&out)
            try reply.field("c", 2, &out)
            try reply.end(&out)
        }
        #expect(
            written == "{\"parameters\":{\"empty\":{},\"inner\":{\"a\":1,\"b\":false},\"c\":2}}\0")
    }

    @Test("a list may hold objects, texts and null, and a number may have a fraction")
    func list() throws {
        let written = try text { out in
            var reply = try MessageWriter.beginReply(&out)
            try reply.openList("empty", &out)
            try reply.closeList(&out)
            try reply.openList("list", &out)
            try reply.element(&out)
            try out.append("null")
            try reply.openObject(&out)
            try reply.field("a", 1, &out)
            try reply.field("b", float: 2, &out)
            try reply.closeObject(&out)
            try reply.element(&out)
            try out.appendJSONString("x" as StaticString)
            try reply.openObject(&out)
            try reply.closeObject(&out)
            try reply.closeList(&out)
            try reply.field("c", float: 0.5, &out)
            try reply.end(&out)
        }
        #expect(
            written == #"{"parameters":{"empty":[],"list":[null,{"a":1,"b":2.0},"x",{}],"c":0.5}}"#
                + "\0")
    }

    @Test("a reply after which another one follows says so")
    func continues() throws {
        let written = try text { out in
            try MessageWriter.beginReply(continues: true, &out).end(&out)
            try MessageWriter.beginReply(continues: false, &out).end(&out)
        }
        #expect(written == "{\"continues\":true,\"parameters\":{}}\0{\"parameters\":{}}\0")
        var index = JSONIndex()
        let first = written.prefix { $0 != "\0" }
        let reply = try ClientReply(reading: String(first).utf8.span, with: &index)
        #expect(reply.continues)
    }

    @Test("a key is written as its digits")
    func key() throws {
        let arena = try SecretArena.forTest(capacity: 4096)
        var key = try arena.allocate(3)
        key.withMutableBytes { bytes in bytes.copy(from: ([0, 0xAB, 0x7F] as [UInt8]).span) }
        let written = try text { out in
            var reply = try MessageWriter.beginReply(&out)
            try reply.field("a", 1, &out)
            try reply.field("key", hexadecimal: key, &out)
            try reply.end(&out)
        }
        #expect(written == "{\"parameters\":{\"a\":1,\"key\":\"00ab7f\"}}\0")
    }

    @Test("a secret is written with its escapes")
    func secret() throws {
        let arena = try SecretArena.forTest(capacity: 4096)
        var secret = try arena.allocate(4)
        secret.withMutableBytes { bytes in bytes.copy(from: Array(#"a"\b"#.utf8).span) }
        let written = try text { out in
            var reply = try MessageWriter.beginReply(&out)
            try reply.field("s", secret: secret, &out)
            try reply.end(&out)
        }
        #expect(written == "{\"parameters\":{\"s\":\"a\\\"\\\\b\"}}\0")
    }

    @Test("a reply that does not fit is an error, wherever it stops fitting")
    func tooLong() throws {
        let arena = try SecretArena.forTest(capacity: 4096)
        let whole = "{\"error\":\"a.B\",\"parameters\":{\"field\":\"value\",\"n\":[\"x\"]}}\0"
        for limit in 1...whole.utf8.count {
            var out = try SecretBuffer(arena: arena, capacity: limit)
            func write() throws {
                var reply = try MessageWriter.beginError("a.B", &out)
                try reply.field("field", "value", &out)
                try reply.field("n", ["x"], &out)
                try reply.end(&out)
            }
            if limit < whole.utf8.count {
                #expect(throws: SecretMemoryError.overLimit) { try write() }
            } else {
                try write()
            }
        }
    }
}
