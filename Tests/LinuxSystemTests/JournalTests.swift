import Glibc
import LinuxSystem
import Testing

@Suite struct JournalTests {
    @Test(
        "a field is sent as a line, or with its length where it has several",
        arguments: [
            ("text", Array("MESSAGE=text\n".utf8)), ("", Array("MESSAGE=\n".utf8)),
            ("a=b", Array("MESSAGE=a=b\n".utf8)), ("账", Array("MESSAGE=账\n".utf8)),
            ("a\nb", Array("MESSAGE\n\u{3}\0\0\0\0\0\0\0a\nb\n".utf8)),
            ("\n", Array("MESSAGE\n\u{1}\0\0\0\0\0\0\0\n\n".utf8)),
        ] as [(String, [UInt8])])
    func fields(value: String, bytes: [UInt8]) {
        var record = JournalRecord()
        record.append("MESSAGE", value)
        #expect(record.bytes == bytes)
    }

    @Test("a length takes eight bytes, the lowest first")
    func length() {
        var record = JournalRecord()
        record.append("M", String(repeating: "\n", count: 0x1_0203))
        #expect(record.bytes.prefix(10) == [77, 10, 3, 2, 1, 0, 0, 0, 0, 0])
        #expect(record.bytes.count == 2 + 8 + 0x1_0203 + 1)
    }

    @Test("fields follow each other, and an emptied record begins anew")
    func several() {
        var record = JournalRecord()
        record.append("MESSAGE", "x")
        record.append("PRIORITY", 6)
        record.append("OFFSET", .min)
        #expect(
            String(decoding: record.bytes, as: UTF8.self)
                == "MESSAGE=x\nPRIORITY=6\nOFFSET=-9223372036854775808\n")
        record.removeAll()
        #expect(record == JournalRecord())
    }

    @Test("a record comes to whoever listens, and to their successor")
    func sends() throws {
        let folder = try TemporaryFolder()
        var journal = try JournalSocket(path: folder("journal"))
        var record = JournalRecord()
        record.append("MESSAGE", "x")
        var sent = journal.send(record)
        #expect(!sent)
        for _ in 0..<2 {
            let receiver = try DatagramSocket(folder("journal"))
            sent = journal.send(record)
            #expect(sent)
            #expect(try receiver.receive() == record.bytes)
            try Files.unlink(folder("journal"))
        }
        sent = journal.send(record)
        #expect(!sent)
        let dropped = (journal.dropped, journal.takeDropped(), journal.dropped)
        #expect(dropped == (2, 2, 0))
    }

    @Test("a journal that does not read holds nobody up, and what is lost is counted")
    func drops() throws {
        let folder = try TemporaryFolder()
        let receiver = try DatagramSocket(folder("journal"))
        var journal = try JournalSocket(path: folder("journal"))
        var record = JournalRecord()
        record.append("MESSAGE", String(repeating: "x", count: 1000))
        var sent: UInt64 = 0
        for _ in 0..<5000 where journal.send(record) { sent += 1 }
        let dropped = journal.dropped
        #expect(sent > 0 && dropped > 0 && sent + dropped == 5000)
        #expect(try receiver.receive() == record.bytes)
    }

    @Test("a path that is no address is refused")
    func longPath() {
        let error = failure { () throws(Errno) in
            try JournalSocket(path: String(repeating: "x", count: 108))
        }
        #expect(error == .nameTooLong)
    }
}
