import Glibc
import LinuxSystem
import Testing

@Suite struct UsersTests {
    private let file = Array(
        """
        # a comment
        root:x:0:0:root:/root:/bin/bash
        +nis
        short:x
        x:y:z:1
        bad:x:12a:0:::
        signed:x:+5:0:::
        nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
        account-readers:x:999:alice,bob
        账户:x:1001:1001:,,,:/home/账户:/bin/sh
        highest:x:4294967295:0::/h:
        large:x:4294967294:0::/l:
        over:x:4294967296:0::/o:
        norelative:x:7:7::home:
        last:x:1002:1002::/home/last:
        """.utf8)

    @Test(
        "a name is found in the file, and its number read",
        arguments: [
            ("root", 0), ("nobody", 65_534), ("account-readers", 999), ("账户", 1001),
            ("large", 4_294_967_294), ("last", 1002), ("highest", nil), ("over", nil),
            ("bad", nil), ("signed", nil), ("short", nil), ("# a comment", nil), ("+nis", nil),
            ("", nil), ("roo", nil), ("root:x", nil), ("readers", nil),
        ] as [(String, UInt32?)])
    func names(name: String, id: UInt32?) {
        #expect(Users.id(of: name, in: file) == id)
    }

    @Test(
        "a user's directory is found by number",
        arguments: [
            (0, "/root"), (65_534, "/nonexistent"), (1001, "/home/账户"), (1002, "/home/last"),
            (7, nil), (999, nil), (5, nil), (4_294_967_295, nil),
        ] as [(UInt32, String?)])
    func homes(uid: UInt32, home: String?) {
        #expect(Users.homeDirectory(of: uid, passwd: file) == home)
    }

    @Test(
        "digits are a number, and nothing else is",
        arguments: [
            ("0", 0), ("65534", 65_534), ("4294967294", 4_294_967_294), ("4294967295", nil),
            ("99999999999999999999", nil), ("no such group", nil), ("+5", nil), ("-1", nil),
        ] as [(String, UInt32?)])
    func numbers(text: String, id: UInt32?) throws {
        #expect(try Users.groupID(named: text) == id)
        #expect(try Users.userID(named: text) == id)
    }

    @Test("root has the number 0 on every system")
    func root() throws {
        #expect(try Users.groupID(named: "root") == 0)
        #expect(try Users.userID(named: "root") == 0)
    }
}
