import Foundation

/// Vectors/json/reference.py, run by the python3 that is found on the PATH.
enum PythonReference {
    /// A text and its canonical form.
    struct Answer {
        let text: String
        let form: String
    }

    private static let interpreter: URL? =
        (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin")
        .split(separator: ":")
        .map { URL(fileURLWithPath: String($0)).appendingPathComponent("python3") }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }

    static var isAvailable: Bool { interpreter != nil }

    private static let script = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Vectors/json/reference.py")

    /// What Python makes of these texts, in their order.
    static func read(_ texts: [[UInt8]]) throws -> [Answer] {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("json-texts-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(texts.map { hexadecimal($0) + "\n" }.joined().utf8).write(to: file)
        return try run(["read", file.path])
    }

    /// Texts that Python writes.
    static func write(seed: Int, count: Int) throws -> [Answer] {
        try run(["write", String(seed), String(count)])
    }

    private struct Failed: Error { let status: Int32 }

    private static func run(_ arguments: [String]) throws -> [Answer] {
        let process = Process()
        process.executableURL = interpreter
        process.arguments = [script.path] + arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failed(status: process.terminationStatus)
        }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map { line in
            let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            return Answer(text: String(parts[0]), form: String(parts[1]))
        }
    }
}
