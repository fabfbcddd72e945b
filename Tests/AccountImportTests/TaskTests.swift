import Foundation
import Testing

@testable import AccountCommands
@testable import AccountImport

/// The two commands, with a daemon that answers what the test likes.
@Suite struct TaskTests {
    /// What came of a command line.
    struct Run {
        let status: Int32
        let output: String
        let errors: String
    }

    /// A folder, and what runs in it.
    final class Place {
        let path = NSTemporaryDirectory() + "account-import-" + UUID().uuidString

        init() throws {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func file(_ name: String, _ bytes: [UInt8]) throws -> String {
            try Data(bytes).write(to: URL(fileURLWithPath: path + "/" + name))
            return path + "/" + name
        }

        func run(_ words: [String], input: String = "/dev/null") throws -> Run {
            let inputFile = try #require(FileHandle(forReadingAtPath: input))
            let (outputPath, errorPath) = (try file("out", []), try file("err", []))
            let output = try #require(FileHandle(forUpdatingAtPath: outputPath))
            let errors = try #require(FileHandle(forUpdatingAtPath: errorPath))
            // SAFETY: each word is a copy that is freed once the command has ended.
            var vector: [UnsafeMutablePointer<CChar>?] =
                unsafe (["account-import"] + words).map { unsafe strdup($0) } + [nil]
            defer { for index in unsafe vector.indices { unsafe free(vector[index]) } }
            let status = try unsafe vector.withUnsafeMutableBufferPointer { list in
                let start = try unsafe #require(list.baseAddress)
                let reader = unsafe ArgumentReader(count: list.count - 1, words: start)
                return withExtendedLifetime((inputFile, output, errors)) {
                    LibexecProgram.run(
                        Invocation(
                            reader,
                            StandardDescriptors(
                                input: inputFile.fileDescriptor, output: output.fileDescriptor,
                                error: errors.fileDescriptor)),
                        importing: ImportTask.run, exporting: ExportTask.run)
                }
            }
            return Run(
                status: status.rawValue,
                output: try String(contentsOfFile: outputPath, encoding: .utf8),
                errors: try String(contentsOfFile: errorPath, encoding: .utf8))
        }
    }

    static let account = """
        {"uid":"9900000008","screen_name":"Zoë","expires_in":604800,"issued_at":1767225600,\
        "expires_at":1767830400,"expires_date":"2026-01-08T00:00:00Z","expired":false,\
        "remaining":86400}
        """
    static let answers = [
        "GetStatus": #"{"parameters":{"status":{}}}"#,
        "Login": #"{"parameters":{"account":\#(account)}}"#,
        "Export":
            #"{"parameters":{"access_token":"2.00abc","refresh_token":"2.00def","account":\#(account)}}"#,
    ]

    static func vector(_ prefix: String) throws -> ImportVector {
        try #require(ImportVector.all.first { $0.file.hasPrefix(prefix) })
    }

    @Test("an account is handed to the daemon with all that is known of it")
    func imports() throws {
        let place = try Place()
        let daemon = try OneDaemon(in: place.path, Self.answers)
        let path = try Self.vector("08_").url.path()
        let run = try place.run(
            ["--socket", daemon.socket, "import", path, "--replace", "--no-input"])
        #expect(run.errors == "")
        #expect(run.status == 0)
        #expect(run.output.hasPrefix("Imported Zoë (uid 9900000008); the token expires on "))
        #expect(
            daemon.received.last == """
                {"method":"org.accountd.Account.Login","parameters":\
                {"access_token":"2.00vuh2gkvYpN7G9623d96f03oSzaGh","uid":"9900000008",\
                "expires_in":157679999,"issued_at":1717317015,\
                "screen_name":"created_time账号","replace":true}}
                """)
        let other = try Self.vector("30_").url.path()
        #expect(try place.run(["import", other, "--socket", daemon.socket]).status == 0)
        #expect(daemon.received.last?.contains(#""expires_at":1874997015"#) == true)
        #expect(daemon.received.last?.contains(#""refresh_token":"2.00Fe5d"#) == true)
    }

    @Test("a dry run asks nobody and shows all but the tokens")
    func dryRun() throws {
        let place = try Place()
        let path = try Self.vector("08_").url.path()
        let lines = try place.run(["import", path, "--dry-run", "--socket", "/nonexistent"])
        #expect(lines.status == 0)
        #expect(
            lines.output == """
                format         nskeyedarchiver
                class          HWAccount
                uid            9900000008
                screen name    created_time账号
                granted        2024-06-02T08:30:15Z
                expires        2029-06-01T08:30:14Z
                refresh token  no

                """)
        let full = try place.run(["import", try Self.vector("30_").url.path(), "--dry-run"])
        #expect(full.output.hasSuffix("refresh token  yes\n"))
        let seed = try place.run(["import", try Self.vector("01_").url.path(), "--dry-run"])
        #expect(seed.output.contains("\navatar         https://"))
        let json = try place.run(["import", path, "--dry-run", "--json"])
        #expect(json.output.contains(#""uid":"9900000008","screen_name":"created_time账号","#))
    }

    @Test("warnings go to standard error and rejections have their status")
    func messages() throws {
        let place = try Place()
        let expired = try place.run(["import", try Self.vector("31_").url.path(), "--dry-run"])
        #expect(expired.status == 0)
        #expect(
            expired.errors == "account: warning: the token expired on 2016-11-14T03:20:07Z\n")
        let cycle = try place.run(["import", try Self.vector("50_").url.path()])
        #expect(cycle.status == 8)
        #expect(
            cycle.errors
                == "account: the file was rejected (cycle): an object in the file holds itself\n")
    }

    @Test("what is no regular file is refused, and says what it is")
    func sources() throws {
        let place = try Place()
        let fifo = place.path + "/fifo"
        #expect(unsafe mkfifo(fifo, 0o600) == 0)
        for path in [fifo, "/dev/zero", place.path] {
            let run = try place.run(["import", path, "--dry-run"])
            #expect(run.status == 8)
            #expect(run.errors.contains("(not-a-file)"))
        }
        let large = try place.file("large", [UInt8](repeating: 0, count: (1 << 21) + 1))
        #expect(try place.run(["import", large]).errors.contains("(too-large)"))
        #expect(try place.run(["import", "-"], input: large).errors.contains("(too-large)"))
        #expect(try place.run(["import", "-"], input: "/dev/zero").errors.contains("(too-large)"))
        let missing = try place.run(["import", place.path + "/none"])
        #expect(missing.status == 9)
        #expect(missing.errors.contains("ENOENT"))
    }

    @Test("standard input is read from where it stands, be it a file or a pipe")
    func standardInput() throws {
        let place = try Place()
        let vector = try Self.vector("01_")
        #expect(
            try place.run(["import", "-", "--dry-run"], input: vector.url.path()).status == 0)
        #expect(
            try place.run(["import", "-", "--dry-run"]).errors.contains("(empty-file)"))
        let fifo = place.path + "/fifo"
        #expect(unsafe mkfifo(fifo, 0o600) == 0)
        // Both ends, so that it opens at once.
        let writer = try #require(FileHandle(forUpdatingAtPath: fifo))
        let run = try place.run(["import", "-", "--dry-run", "--timeout", "1"], input: fifo)
        #expect(run.status == 10)
        withExtendedLifetime(writer) {}
        let bytes = try vector.bytes()
        Thread.detachNewThread {
            if let pipe = FileHandle(forWritingAtPath: fifo) {
                try? pipe.write(contentsOf: Data(bytes))
                try? pipe.close()
            }
        }
        try? writer.close()
        let piped = try place.run(["import", "-", "--dry-run"], input: fifo)
        #expect(piped.status == 0, "\(piped.errors)")
    }

    @Test("an account is written to a file of one's own, which is not overwritten unasked")
    func exports() throws {
        let place = try Place()
        let daemon = try OneDaemon(in: place.path, Self.answers)
        let path = place.path + "/account.json"
        let words = [
            "export", "--socket", daemon.socket, "--output", path, "--i-understand", "--format",
            "json",
        ]
        let run = try place.run(words)
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            run.output == "Wrote the account of Zoë (uid 9900000008), token included, to \(path).\n"
        )
        let written = """
            {"access_token":"2.00abc","expires_date":"2026-01-08T00:00:00Z","uid":"9900000008",\
            "screen_name":"Zoë","refresh_token":"2.00def","expires_in":604800,\
            "issued_at":"2026-01-01T00:00:00Z"}

            """
        #expect(try String(contentsOfFile: path, encoding: .utf8) == written)
        let again = try place.run(words)
        #expect(again.status == 9)
        #expect(again.errors.contains("(EEXIST)\nhint: name another file, or replace it"))
        #expect(try place.run(words + ["--force"]).status == 0)
        let printed = try place.run(words + ["--output", "-"])
        #expect(printed.output == written)
        let nowhere = try place.run(words + ["--output", "/nonexistent/x"])
        #expect(nowhere.status == 9)
    }

    @Test("an answer that is none is not taken for an account")
    func strangeAnswers() throws {
        for answer in [
            #"{"parameters":{}}"#, #"{"parameters":{"access_token":"2.00abc"}}"#,
            #"{"parameters":{"access_token":"a b","account":\#(Self.account)}}"#,
        ] {
            let place = try Place()
            let daemon = try OneDaemon(
                in: place.path, Self.answers.merging(["Export": answer]) { $1 })
            let run = try place.run([
                "export", "--socket", daemon.socket, "--output", "-", "--i-understand",
            ])
            #expect(run.status == 5)
            #expect(run.output == "")
        }
        let place = try Place()
        let daemon = try OneDaemon(
            in: place.path,
            Self.answers.merging([
                "Export": #"{"error":"org.accountd.Account.NoAccount","parameters":{}}"#
            ]) { $1 })
        let run = try place.run([
            "export", "--socket", daemon.socket, "--output", "-", "--i-understand",
        ])
        #expect(run.status == 3)
    }

    @Test(
        "a list of keys or a class that is none is refused",
        arguments: [
            ["--keys", "token"], ["--keys", ""], ["--keys", "uid="], ["--keys", "uid=$class"],
            ["--keys", "uid,uid"], ["--keys", "uid=a,access_token=a"], ["--class-name", "A"],
            ["--format", "nskeyedarchiver", "--class-name", "NSArray"],
            ["--format", "nskeyedarchiver", "--class-name", ""], ["--format", "xml"],
        ])
    func badOptions(_ words: [String]) throws {
        let place = try Place()
        let daemon = try OneDaemon(in: place.path, Self.answers)
        let run = try place.run(
            ["export", "--socket", daemon.socket, "--output", "-", "--i-understand"] + words)
        #expect(run.status == 2, "\(words)")
        #expect(run.output == "")
    }

    @Test("without its options and operands a command says what it lacks")
    func lacks() throws {
        let place = try Place()
        for words in [
            [], ["token"], ["import"], ["import", ""], ["import", "a", "b"],
            ["import", "a", "--x"],
            ["export"], ["export", "--output", "x"], ["export", "--i-understand"],
            ["export", "x"], ["export", "--x"],
        ] {
            let run = try place.run(words)
            #expect(run.status == 2, "\(words)")
            #expect(run.errors.hasPrefix("account: "))
        }
        #expect(try place.run(["import", "--help"]).output.hasPrefix("usage: account import FILE"))
        #expect(try place.run(["export", "--version"]).output.hasPrefix("account 0."))
    }
}
