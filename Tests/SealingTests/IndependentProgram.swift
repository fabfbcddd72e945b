import Foundation
import Testing

/// Tests/Python/independent_store.py, which shares nothing with the code that is tested.
struct IndependentProgram {
    struct Result {
        let status: Int32
        let output: String
        let errors: String
    }

    /// Whether python3 and its two modules are here.
    static let isAvailable: Bool =
        (try? run(["-c", "import Crypto.Cipher.ChaCha20_Poly1305, cryptography"]))?.status == 0
    static let reason: Comment = "needs python3 with pycryptodome and cryptography"
    static let path = Vectors.tests.appending(path: "Python/independent_store.py").path

    static func run(_ arguments: [String]) throws -> Result {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-B"] + arguments
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        // Files, not pipes: a pipe that nobody reads meanwhile would block a chatty program.
        let files = try ["output", "errors"].map { name in
            let file = folder.appending(path: name)
            try Data().write(to: file)
            return file
        }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: files[0])
        process.standardError = try FileHandle(forWritingTo: files[1])
        try process.run()
        process.waitUntilExit()
        let texts = try files.map { try String(contentsOf: $0, encoding: .utf8) }
        return Result(status: process.terminationStatus, output: texts[0], errors: texts[1])
    }

    static func call(_ arguments: String...) throws -> Result { try run([path] + arguments) }
}

/// A folder of its own for one test, removed with it.
final class TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "sealing-\(UUID())")
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appending(path: name).path }

    func write(_ bytes: [UInt8], _ name: String) throws {
        try Data(bytes).write(to: url.appending(path: name))
    }

    func read(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: url.appending(path: name)))
    }
}
