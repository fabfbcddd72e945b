import AccountImport
import Archiving
import Foundation
import Testing

@testable import ArchiveImport

/// Every file that apps wrote, and those that were made for this.
@Suite struct AppFileTests {
    @Test("the manifests list every file beside them", arguments: AppFile.folders)
    func complete(_ folder: String) throws {
        let files = try FileManager.default.contentsOfDirectory(
            atPath: AppFile.vectors.appending(path: folder).path())
        let listed = AppFile.load(folder)
        #expect(listed.count >= 10)
        #expect(
            Set(files).subtracting(["MANIFEST.json", "make_vectors.py"]) == Set(listed.map(\.file)))
    }

    @Test("the made ones are as their script makes them")
    func areAsMade() throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        let script = AppFile.vectors.appending(path: "appfiles/make_vectors.py").path()
        process.arguments = ["python3", script, "--check"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        #expect(try output.fileHandleForReading.readToEnd() ?? Data() == Data())
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test("a file gives what its manifest says", arguments: AppFile.all)
    func matches(_ vector: AppFile) throws {
        let archive: ImportedArchive
        do { archive = try read(vector.bytes(), key: vector.key) } catch let error as ImportError {
            #expect(error.reason == vector.reason, "\(error.message)")
            #expect(!"\(error)".contains("2.00"), "a token in an error")
            return
        }
        #expect(vector.reason == nil)
        let report = archive.report(isJSON: true, key: vector.key)
        let said = try ArchiveValue(json: Array(report.utf8))
        guard vector.folder != "structarchiver" else {
            #expect(said == ["kind": "value", "value": vector.expected])
            return
        }
        guard case .dictionary(var expected) = vector.expected,
            case .dictionary(var members) = said
        else {
            Issue.record("\(report) is no object")
            return
        }
        // The apps' manifest describes its warnings in words.
        if vector.folder == "drafts" {
            let isWarned = expected.removeValue(forKey: "warn") != nil
            let warnings = members.removeValue(forKey: "warnings")
            #expect((warnings ?? []) == [] || isWarned)
            #expect(warnings != [] || !isWarned)
        }
        #expect(members == expected)
    }

    @Test("of every account that an app wrote, the right command is said")
    func accounts() throws {
        let manifest = try ArchiveValue(json: AppFile.bytes("archives/MANIFEST.json"))
        guard case .dictionary(let members) = manifest, case .array(let cases)? = members["cases"]
        else { return #expect(Bool(false), "no manifest") }
        var accounts = 0
        for case .dictionary(let entry) in cases where entry["expect"] == "accept" {
            guard case .string(let file)? = entry["file"] else { continue }
            let error = #expect(throws: ImportError.self) {
                try read(AppFile.bytes("archives/\(file)"))
            }
            #expect(error?.reason == "account", "\(file)")
            #expect(error?.hint?.contains("account import FILE") == true)
            accounts += 1
        }
        #expect(accounts > 20)
    }

    @Test("hostile archives of accounts are refused here too")
    func hostile() throws {
        for file in [
            "50_cycle_array.plist", "51_cycle_self_field.plist", "53_root_uid_huge.plist",
            "54_root_null.plist", "56_truncated.plist", "57_bad_trailer.plist",
            "59_object_count_huge.plist", "60_deep_20000.plist", "62_nrkeyedarchiver.plist",
            "63_version_200000.plist", "66_typedstream.plist", "69_xml_external_entity.plist",
        ] {
            #expect(throws: ImportError.self, "\(file)") {
                try read(AppFile.bytes("archives/\(file)"))
            }
        }
    }
}
