import Testing

@testable import AccountCommands

@Suite struct ArgumentReaderTests {
    struct Case: CustomTestStringConvertible {
        let words: [String]
        let read: [String]
        var testDescription: String { words.joined(separator: " ") }
    }

    @Test(
        "words are read as options and operands",
        arguments: [
            Case(words: [], read: []),
            Case(words: ["token"], read: ["operand token"]),
            Case(words: ["--json", "x"], read: ["option --json", "operand x"]),
            Case(words: ["-h"], read: ["option -h"]),
            Case(words: ["-", ""], read: ["operand -", "operand "]),
            Case(words: ["--", "--json", "--"], read: ["operand --json", "operand --"]),
            Case(words: ["--value", "--json"], read: ["option --value", "value --json"]),
            Case(words: ["--value=a=b"], read: ["option --value", "value a=b"]),
            Case(
                words: ["--value=\u{301}a"], read: ["option --value", "value \u{301}a"]),
            Case(words: ["--value="], read: ["option --value", "value "]),
            Case(words: ["--value"], read: ["option --value", "--value needs a value"]),
            Case(words: ["--json=x", "y"], read: ["option --json", "--json takes no value"]),
            Case(words: ["--json=x"], read: ["option --json", "--json takes no value"]),
        ])
    func reads(_ given: Case) {
        var read: [String] = []
        CommandRun.withArguments(given.words) { arguments in
            var reader = arguments
            do throws(CommandFailure) {
                while let argument = try reader.next() {
                    switch argument {
                    case .operand(let word): read.append("operand \(word)")
                    case .option(let option):
                        read.append("option \(option)")
                        if option == "--value" {
                            read.append("value \(try reader.value(of: option))")
                        }
                    }
                }
            } catch { read.append(error.message) }
        }
        #expect(read == given.read)
    }

    @Test("a word that is not UTF-8 is refused by its place, and not shown")
    func notUTF8() {
        let bad: [UInt8] = [0x2F, 0xFF]
        CommandRun.withArguments([Array("--value".utf8), bad]) { arguments in
            var reader = arguments
            #expect(throws: CommandFailure(.usage, "argument 2 is not UTF-8")) {
                while try reader.next() != nil { _ = try reader.value(of: "--value") }
            }
        }
        CommandRun.withArguments([Array("--value=".utf8) + bad]) { arguments in
            var reader = arguments
            #expect(throws: CommandFailure(.usage, "argument 1 is not UTF-8")) {
                try reader.next()
            }
        }
    }
}
