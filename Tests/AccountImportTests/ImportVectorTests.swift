import AccountImport
import Accounts
import Foundation
import SecretMemory
import Testing

/// Every file that apps wrote, and those that were made for this.
@Suite struct ImportVectorTests {
    @Test("the manifests list every file beside them")
    func complete() throws {
        for (folder, vectors) in [("archives", ImportVector.apps), ("imports", ImportVector.own)] {
            let files = try FileManager.default.contentsOfDirectory(
                atPath: ImportVector.vectors.appending(path: folder).path())
            #expect(vectors.count > 40)
            #expect(
                Set(files).subtracting(["MANIFEST.json", "make_vectors.py"])
                    == Set(vectors.map(\.file)))
        }
    }

    @Test("the made ones are as their script makes them")
    func areAsMade() throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        let script = ImportVector.vectors.appending(path: "imports/make_vectors.py").path()
        process.arguments = ["python3", script, "--check"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        #expect(try output.fileHandleForReading.readToEnd() ?? Data() == Data())
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test("a file gives what its manifest says", arguments: ImportVector.all)
    func matches(_ vector: ImportVector) throws {
        let several = vector.reason == nil && vector.accounts.count > 1
        for account in several ? vector.accounts : Array(vector.accounts.prefix(1)) {
            try match(vector, account, uid: several ? account.uid : nil)
        }
        if vector.accounts.isEmpty { try match(vector, nil, uid: nil) }
    }

    private func match(
        _ vector: ImportVector, _ account: ImportVector.Account?, uid: String?
    ) throws {
        do {
            let (found, className, _, warnings) = try read(vector.bytes(), uid: uid)
            #expect(vector.reason == nil)
            let account = try #require(account)
            #expect(account.access_token == .text(found.accessToken))
            #expect(found.refreshToken == account.refresh_token)
            #expect(found.uid == account.uid)
            #expect(found.screenName == account.screen_name)
            #expect(found.avatarLarge == account.avatar_large)
            #expect(found.expiry.expiresAt == account.expires_unix.map { Int64($0.rounded(.down)) })
            if vector.folder == "imports" {
                #expect(found.expiry.expiresIn == account.expires_in)
                #expect(found.expiry.issuedAt == account.issued_at)
            }
            if let expected = vector.class_name { #expect(className == expected) }
            if let expected = vector.warnings { #expect(warnings == expected) }
            let expires = account.expires_unix ?? 0
            #expect(
                warnings.contains { $0.hasPrefix("the token expired on ") }
                    == (expires < Double(now)))
        } catch let error as ImportError {
            #expect(error.reason == vector.reason)
            // No byte of a token.
            #expect(!"\(error)".contains("2.00"))
        }
    }

    @Test("without --uid the accounts of a file are listed")
    func listed() throws {
        let vector = try #require(ImportVector.apps.first { $0.file.hasPrefix("14_") })
        let error = #expect(throws: ImportError.self) { try read(vector.bytes()) }
        #expect(error?.reason == "several-accounts")
        #expect(
            error?.message
                == "the file holds 2 accounts: uid 9900000014 (双账号一), uid 9900000114 (双账号二)")
        let other = #expect(throws: ImportError.self) { try read(vector.bytes(), uid: "7") }
        #expect(other?.reason == "uid-mismatch")
        #expect(other?.message.contains("uid 9900000114") == true)
    }

    @Test("a uid that is given fills a lack, must agree, and must be one")
    func givenUID() throws {
        let missing = try #require(ImportVector.own.first { $0.file == "uid_missing.plist" })
        #expect(try read(missing.bytes(), uid: "5").account.uid == "5")
        let seed = try #require(ImportVector.apps.first)
        #expect(try read(seed.bytes(), uid: "9900000001").account.uid == "9900000001")
        for (uid, reason) in [("5", "uid-mismatch"), ("x", "bad-uid"), ("", "bad-uid")] {
            let error = #expect(throws: ImportError.self) { try read(seed.bytes(), uid: uid) }
            #expect(error?.reason == reason)
        }
    }

    @Test("a file past the limit is not looked at")
    func tooLarge() throws {
        var file = try #require(ImportVector.apps.first).bytes()
        file += [UInt8](repeating: 0, count: ImportLimits.maximumFile + 1 - file.count)
        let error = #expect(throws: ImportError.self) { try read(file) }
        #expect(error?.reason == "too-large")
    }

    @Test("what a file is, is told by its content")
    func formats() throws {
        let formats = [
            "01_seed_canonical.plist": "nskeyedarchiver",
            "02_seed_canonical_xml.plist":
                "nskeyedarchiver", "plain.plist": "plist", "plain.xml": "plist",
            "com_weibo_sdk_android.xml": "android-preferences", "yymodel.json": "json",
        ]
        var seen = 0
        for vector in ImportVector.accepted where formats[vector.file] != nil {
            #expect(try read(vector.bytes()).format == formats[vector.file])
            seen += 1
        }
        #expect(seen == formats.count)
    }

    @Test("one reader reads many files, good and bad ones")
    func manyFiles() throws {
        let vectors = ImportVector.all.filter { !$0.file.hasPrefix("6") }
        let files = try vectors.map { try $0.bytes() }
        let fresh = files.map { try? read($0).account }
        let arena = try SecretArenaOf.large()
        var reader = ArchiveReader(arena: arena)
        for _ in 0..<2 {
            for (file, expected) in zip(files, fresh) {
                var found: ReadAccount?
                if let imported = try? reader.read(
                    file.span, supplement: ImportSupplement(now: now))
                {
                    found = ReadAccount(imported.account)
                }
                #expect(found == expected)
            }
        }
        #expect(arena.used == 0)
    }
}
