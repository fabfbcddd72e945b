import Foundation
import Testing

@testable import AccountCommands

/// One command line, run within the test's process.
struct CommandRun {
    let status: Status
    let output: String
    let errors: String

    /// Runs `account` with the words, and with what stands in a file as standard input.
    init(_ words: [String], input: String = "/dev/null") throws {
        let directory = try TemporaryDirectory()
        let inputFile = try #require(FileHandle(forReadingAtPath: input))
        let outputPath = try directory.file("output", "")
        let errorPath = try directory.file("errors", "")
        let output = try #require(FileHandle(forUpdatingAtPath: outputPath))
        let errors = try #require(FileHandle(forUpdatingAtPath: errorPath))
        // A handle that is not used any more closes its descriptor.
        status = withExtendedLifetime((inputFile, output, errors)) {
            Self.status(
                words,
                StandardDescriptors(
                    input: inputFile.fileDescriptor, output: output.fileDescriptor,
                    error: errors.fileDescriptor))
        }
        self.output = try String(contentsOfFile: outputPath, encoding: .utf8)
        self.errors = try String(contentsOfFile: errorPath, encoding: .utf8)
    }

    /// Runs `account` with the words, and gives what it exits with.
    static func status(_ words: [String], _ descriptors: StandardDescriptors) -> Status {
        withArguments(words) { arguments in
            let invocation = Invocation(arguments, descriptors)
            let command = words.first { !$0.hasPrefix("-") && !$0.hasPrefix("/") }
            // For these `account` becomes another program, and this process would.
            switch words.first == "--help" ? nil : command {
            case "import", "export":
                return LibexecProgram.run(
                    invocation, importing: { _, _ throws(CommandFailure) in throw nobody },
                    exporting: { _, _ throws(CommandFailure) in throw nobody })
            case "archive", "draft":
                return LibexecProgram.run(
                    invocation, archives: { _, _ throws(CommandFailure) in throw nobody },
                    drafts: { _, _ throws(CommandFailure) in throw nobody })
            default: return AccountCommand.run(invocation)
            }
        }
    }

    private static let nobody = CommandFailure(.noDaemon, "nobody is asked")

    /// Lends the words as `main` gets them.
    static func withArguments<R>(_ words: [String], _ body: (ArgumentReader) throws -> R) rethrows
        -> R
    {
        try withArguments(words.map { Array($0.utf8) }, body)
    }

    /// Lends words whose bytes may be no UTF-8.
    static func withArguments<R>(_ words: [[UInt8]], _ body: (ArgumentReader) throws -> R) rethrows
        -> R
    {
        // SAFETY: each word is a copy that is freed once the body has returned.
        var vector: [UnsafeMutablePointer<CChar>?] =
            unsafe ([Array("account".utf8)] + words).map { word in
                unsafe strdup(word.map { CChar(bitPattern: $0) } + [0])
            } + [nil]
        defer { for index in unsafe vector.indices { unsafe free(vector[index]) } }
        return try unsafe vector.withUnsafeMutableBufferPointer { words in
            guard let start = words.baseAddress else { preconditionFailure("no words") }
            return try body(unsafe ArgumentReader(count: words.count - 1, words: start))
        }
    }
}

/// Testing has an `ExitStatus` too.
typealias Status = AccountCommands.ExitStatus
