import Foundation
import Testing

/// The files of Tests/Vectors/propertylist with what must come of each.
struct PropertyListVector: Decodable, Sendable, CustomTestStringConvertible {
    let file: String
    let about: String
    /// `value`, or the name of an error.
    let result: String
    /// Of `damaged` and `duplicateKey`.
    let offset: Int?
    /// In the notation of `peer.py`.
    let value: String?

    var testDescription: String { file }

    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Vectors/propertylist")

    static let all: [PropertyListVector] = {
        do {
            let manifest = try Data(contentsOf: folder.appending(path: "MANIFEST.json"))
            return try JSONDecoder().decode([PropertyListVector].self, from: manifest)
        } catch {
            Issue.record(error)
            return []
        }
    }()

    static let good = all.filter { $0.result == "value" }

    var bytes: [UInt8] {
        get throws { Array(try Data(contentsOf: Self.folder.appending(path: file))) }
    }
}

/// Python, where there is one.
enum Python {
    static let isThere = (try? run(["-c", "import plistlib"])) != nil

    struct Failure: Error { let status: Int32 }

    /// Runs python3 and gives the lines that it prints.
    static func run(_ arguments: [String]) throws -> [String] {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3"] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(status: process.terminationStatus)
        }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    static func script(_ name: String) -> String {
        PropertyListVector.folder.appending(path: name).path(percentEncoded: false)
    }

    /// What plistlib reads in each file: the notation of `peer.py`, or `refused`.
    static func read(_ files: [[UInt8]]) throws -> [String] {
        try withBundle { path in
            var bundle = Data()
            for file in files {
                let size = UInt32(file.count)
                bundle.append(contentsOf: (0..<4).map { UInt8(size >> (24 - 8 * $0) & 0xFF) })
                bundle.append(contentsOf: file)
            }
            try bundle.write(to: URL(filePath: path))
            return try run([script("peer.py"), "read", path])
        }
    }

    /// Random files that plistlib writes, and their notation.
    static func write(seed: Int, count: Int) throws -> [(file: [UInt8], notation: String)] {
        try withBundle { path in
            let lines = try run([script("peer.py"), "write", "\(seed)", "\(count)", path])
            let bundle = Array(try Data(contentsOf: URL(filePath: path)))
            var files: [[UInt8]] = []
            var offset = 0
            while offset < bundle.count {
                let size = bundle[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
                files.append(Array(bundle[(offset + 4)..<(offset + 4 + size)]))
                offset += 4 + size
            }
            return Array(zip(files, lines)).map { ($0, $1) }
        }
    }

    private static func withBundle<R>(_ body: (String) throws -> R) throws -> R {
        let path = FileManager.default.temporaryDirectory
            .appending(path: "propertylist-\(UUID().uuidString)").path(percentEncoded: false)
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try body(path)
    }
}
