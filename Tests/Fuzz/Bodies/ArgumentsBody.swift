import Glibc
package import SecretMemory

@testable import AccountCommands
@testable import AccountDaemon

/// The command lines of both programs, account(1) and accountd(8), each word ended by NUL.
package final class ArgumentsBody: FuzzBody {
    package static let name = "arguments"
    package static let maximumSize = 512
    private static let maximumWords = 12

    package let arena: SecretArena

    package init() throws { arena = try SecretArena(capacity: 4096, preferring: .lockedPages) }

    package func run(_ input: Span<UInt8>) throws {
        let words = input.array.split(separator: 0, omittingEmptySubsequences: false)
            .prefix(Self.maximumWords).map { String(decoding: $0, as: UTF8.self) }
        try visitReader(words)
        let joined = Self.login(words)
        // A value after an equals sign is the value that stands in the next word.
        if let apart = Self.apart(words), Self.isRead(joined) {
            try require(Self.login(apart) == joined, "a value is read otherwise where it is joined")
        }
        try visitDaemon(words)
        for word in words.prefix(2) { try visitWord(word) }
    }

    /// Every word is read once, in its order.
    private func visitReader(_ words: [String]) throws {
        try Self.withArguments(words) { arguments in
            var reader = arguments
            var seen = 0
            do throws(CommandFailure) {
                while let argument = try reader.next() {
                    seen += 1
                    if case .option(let option) = argument, option.hasSuffix("v") {
                        _ = try reader.value(of: option)
                    }
                }
            } catch {
                try requireUsage(error)
                return
            }
            try require(seen <= words.count, "more words than there are")
        }
    }

    private enum Read: Equatable {
        case options(LoginOptions, GlobalOptions)
        case failure(CommandFailure)

        static func == (left: Read, right: Read) -> Bool {
            switch (left, right) {
            case (.options(let one, let common), .options(let other, let otherCommon)):
                one == other && common.socket == otherCommon.socket
                    && common.isSystem == otherCommon.isSystem
                    && common.stateDirectory == otherCommon.stateDirectory
                    && common.timeout == otherCommon.timeout
                    && common.mayPrompt == otherCommon.mayPrompt
            case (.failure(let one), .failure(let other)): one == other
            default: false
            }
        }
    }

    private static func isRead(_ read: Read) -> Bool {
        if case .options = read { return true }
        return false
    }

    private static func login(_ words: [String]) -> Read {
        withArguments(words) { arguments in
            var invocation = Invocation(arguments, StandardDescriptors())
            do throws(CommandFailure) {
                let options = try LoginOptions(&invocation)
                return .options(options, invocation.options)
            } catch { return .failure(error) }
        }
    }

    /// The words with the first one's joined value in a word of its own; nil without one.
    private static func apart(_ words: [String]) -> [String]? {
        guard let word = words.first, word.hasPrefix("--"),
            let equals = word.utf8.firstIndex(of: UInt8(ascii: "="))
        else { return nil }
        let value = String(word[word.utf8.index(after: equals)...])
        return [String(word[..<equals]), value] + words.dropFirst()
    }

    private func visitDaemon(_ words: [String]) throws {
        let options: DaemonOptions
        do throws(StartError) {
            options = try DaemonOptions(words)
        } catch {
            try require(!error.message.isEmpty, "a failure without words")
            return
        }
        for path in [options.socket, options.state, options.keyFile] {
            try require(path != "", "an empty path")
        }
        if let descriptor = options.readyDescriptor {
            try require(descriptor > 2, "a standard descriptor")
        }
    }

    private func visitWord(_ word: String) throws {
        try requireUsage(Invocation.unknown(word, .login))
        try requireUsage(HelpCommand.unknown(word))
    }

    private func requireUsage(_ failure: CommandFailure) throws {
        try require(failure.status == .usage, "a word is another failure than usage")
        let lines = failure.text.utf8.count { $0 == UInt8(ascii: "\n") }
        try require(lines == (failure.hint == nil ? 1 : 2), "a word adds a line")
    }

    /// Lends the words as `main` gets them.
    private static func withArguments<R>(
        _ words: [String], _ body: (ArgumentReader) throws -> R
    ) rethrows -> R {
        // SAFETY: each word is a copy that is freed once the body has returned.
        var vector: [UnsafeMutablePointer<CChar>?] =
            unsafe (["account"] + words).map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe vector.indices { unsafe free(vector[index]) } }
        return try unsafe vector.withUnsafeMutableBufferPointer { words in
            guard let start = words.baseAddress else { preconditionFailure("no words") }
            return try body(unsafe ArgumentReader(count: words.count - 1, words: start))
        }
    }
}
