import Testing

@testable import Accounts

@Suite struct InputKindTests {
    private static let good = response()

    @Test(
        "what is pasted around a response does not matter",
        arguments: [
            " \(good)", "\r\n\r\n\(good)\r\n", "\u{FEFF}\(good)", "\u{FEFF}\r\n\t \(good)\n\n",
            "{\r\n  \"access_token\" : \"2.00made-up\" ,\r\n  \"uid\":\"99\",\r\n\t\"expires_in\":3600\r\n}",
        ])
    func around(_ text: String) throws {
        #expect(try Outcome(text).accessToken == "2.00made-up")
    }

    @Test(
        "what is no JSON is named",
        arguments: [
            ("<!DOCTYPE html><html><body>404</body></html>", "html"), ("<HTML>", "html"),
            ("\n<html lang=\"zh\">", "html"), ("<?xml version=\"1.0\"?><html/>", "html"),
            ("<?xml version='1.0'?><map><string name=\"uid\">9</string></map>", "xml"),
            ("<?xml version=\"1.0\"?><!DOCTYPE plist><plist version=\"1.0\"/>", "xml"),
            ("<error/>", "xml"), ("-----BEGIN PRIVATE KEY-----\nAAAA", "pem"),
            ("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n\(good)", "http-transcript"),
            ("HTTP/2 400 \r\n\r\n{}", "http-transcript"),
            ("*   Trying 10.0.0.1:443...\n> POST / HTTP/2\n\(good)", "http-transcript"),
            ("< HTTP/1.1 200 OK\n\(good)", "http-transcript"),
            ("callback(\(good))", "jsonp"), ("/**/ a.b_1 ( \(good) );", "jsonp"),
            ("(\(good))", "jsonp"),
            ("'\(good)'", "quoted"), ("\"\(good)\"", "quoted"), ("“\(good)”", "quoted"),
            ("```json\n\(good)\n```", "quoted"), ("`\(good)`", "quoted"),
            ("{\n    \"access_token\" = \"2.00x\";\n}", "openstep-plist"),
            ("{\n    uid = 99;\n}", "openstep-plist"),
            ("2026-01-01 10:00:00.1 App[1:2] {\n    uid = 99;\n}", "openstep-plist"),
            ("{'access_token': '2.00x', 'expires_in': 7200}", "python-dictionary"),
            ("{\"access_token\"=>\"2.00x\"}", "ruby-hash"), ("{:access_token=>\"x\"}", "ruby-hash"),
            ("{access_token=2.00x, uid=99}", "java-map"),
            ("Bundle[{access_token=2.00x, uid=99}]", "java-map"),
            ("{access_token: \"2.00x\", uid: 99}", "javascript-object"),
            ("[\"access_token\": 2.00x, \"uid\": 99]", "swift-dictionary"),
            ("[AnyHashable(\"uid\"): 99]", "swift-dictionary"),
            ("Optional([\"uid\": 99])", "swift-dictionary"),
            ("eyJhY2Nlc3NfdG9rZW4iOiIyLjAwbWFkZXVwIn0=", "base64"),
            ("%7B%22access_token%22%3A%222.00x%22%7D", "percent-encoded"),
            ("2.00QeeZnT6XkzCec9332a30a9oTGrt8", "bare-token"),
            ("https://example.com/callback?code=0123456789abcdef&state=x", "authorization-code"),
            ("code=0123456789abcdef", "authorization-code"),
            ("abc\u{1}def", "binary"),
        ])
    func named(_ text: String, _ kind: String) throws {
        #expect(try Outcome(text).reason == "not-json:" + kind)
    }

    @Test(
        "forms, addresses and other texts have no kind in the code",
        arguments: [
            "access_token=2.00x&expires_in=7200&uid=99", "access_token=2.00x",
            "#access_token=2.00x&uid=99", "https://example.com/#access_token=2.00x",
            "https://example.com/", "a=b&c=d", "hello", "hello world",
            "access_token: 2.00x\nuid: 99",
            "2026-01-01", "tru", "nul", "}", ",", "\u{E4}", "(", "/*", "/**/", "=", "&", "-", "-1-",
        ])
    func unnamed(_ text: String) throws {
        #expect(try Outcome(text).reason == "not-json")
    }

    @Test(
        "binary formats are known by their first bytes",
        arguments: [
            ([0x1F, 0x8B, 0x08, 0x00], "not-json:gzip"),
            ([0x78, 0x9C, 0x01, 0x02], "not-json:zlib"),
            ([0x50, 0x4B, 0x03, 0x04], "not-json:zip"),
            ([0x28, 0xB5, 0x2F, 0xFD], "not-json:zstd"),
            (Array("SQLite format 3\0".utf8), "not-json:sqlite"),
            ([0x93] + Array("SEAL\r\n\u{1A}".utf8), "not-json:sealed-file"),
            (Array("bplist00\u{1}\u{2}".utf8), "not-json:binary-plist"),
            (Array("bplist00 $archiver $objects".utf8), "not-json:keyed-archive"),
            ([0x04, 0x0B] + Array("streamtyped".utf8), "not-json:typedstream"),
            ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "not-json:binary"),
            ([0x7F, 0x45, 0x4C, 0x46, 0x02, 0x01, 0x01], "not-json:binary"),
            ([0xFE, 0xFF, 0x00, 0x7B], "malformed-json"),
            ([0xFF, 0xFE, 0x7B, 0x00], "malformed-json"),
            ([0x7B, 0x00, 0x22, 0x00], "malformed-json"),
            ([0x00, 0x7B, 0x00, 0x22], "malformed-json"),
            ([0x7B, 0x22, 0x61, 0xCE], "malformed-json:truncated"),
            ([0x7B, 0x22, 0xF0, 0x9F, 0x98], "malformed-json:truncated"),
            ([0xD6, 0xD0, 0xCE, 0xC4], "malformed-json:utf8"), ([0xFF], "malformed-json:utf8"),
            ([0x00], "not-json:binary"), ([0xEF, 0xBB, 0xBF], "empty-input"), ([], "empty-input"),
        ] as [([UInt8], String)])
    func binary(_ bytes: [UInt8], _ reason: String) throws {
        #expect(try Outcome(bytes).reason == reason)
    }

    @Test(
        "JSON that is no object is told from no JSON",
        arguments: [
            "[]", "[\(good)]", "\"text\"", "7", "true", "null", "\"{\\\"uid\\\":1}\"",
        ])
    func notAnObject(_ text: String) throws {
        #expect(try Outcome(text).reason == "not-an-object")
    }

    @Test(
        "JSON with a fault is malformed",
        arguments: [
            ("{\"a\":1,}", ""), ("{\"a\" 1}", ""), ("{\"a\":01}", ""), ("{\"a\":tru}", ""),
            ("{,}", ""), ("[1 2]", ""), ("{\"a\":'x'}", ""), ("{“a”:1}", ""),
            ("{\u{A0}\"a\":1}", ""),
            ("{\"a\":\"\\ud83d\"}", ""), ("{\"a\":\"\\x\"}", ""), ("{\"a\":\"\n\"}", ""),
            ("{\"a\":1}x", ":trailing-data"), ("\(good)\n\(good)", ":trailing-data"),
            ("\(good)%", ":trailing-data"), ("\(good);", ":trailing-data"),
            ("[] []", ":trailing-data"), ("{\"a\":1,\"a\":2}", ":duplicate-key"),
            ("{", ":truncated"), ("{\"a", ":truncated"), ("{\"a\"", ":truncated"),
            ("{\"a\":", ":truncated"), ("{\"a\":tr", ":truncated"), ("{\"a\":1", ":truncated"),
            ("{\"a\":1,", ":truncated"), ("{\"a\":\"\\ud83d\\u", ":truncated"), ("[", ":truncated"),
            ("\"access_token\":\"x\",\"uid\":1}", ":truncated"),
        ])
    func malformed(_ text: String, _ suffix: String) throws {
        #expect(try Outcome(text).reason == "malformed-json" + suffix)
    }

    @Test("a response cut off anywhere is said to be cut off")
    func cut() throws {
        for vector in ResponseVector.all where vector.outcome == "accept" {
            var bytes = try vector.bytes()
            while bytes.last.map(TextLook.isSpace) == true { bytes.removeLast() }
            let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 4 : 1
            for end in start..<bytes.count {
                let reason = try Outcome(Array(bytes[..<end])).reason
                #expect(reason == "malformed-json:truncated", "\(vector.file) cut at \(end)")
            }
        }
    }

    @Test("any byte changed gives a response or a reason, never a trap")
    func changed() throws {
        for vector in ResponseVector.all {
            let bytes = try vector.bytes()
            for position in bytes.indices.prefix(160) {
                for change: UInt8 in [0x01, 0x20, 0x80] {
                    var changed = bytes
                    changed[position] ^= change
                    let outcome = try Outcome(changed)
                    #expect((outcome.reason == nil) == (outcome.accessToken != nil))
                }
            }
        }
    }
}
