import Foundation
import Testing

/// A session at a command line, and what it shows.
///
///     # A remark, or an empty line.
///     $ a command of bash
///     > its next line
///     what it writes to standard output
///     2> what it writes to standard error
///     ? 3
///
/// Every line of output stands there, a status other than 0 too. `~` at the start of a path is the
/// session's home, `BIN` the folder of the programs; `<…>` stands for what differs from run to run: see `Transcript.patterns`.
struct Transcript: CustomTestStringConvertible, Sendable {
    /// One command and what is expected of it.
    struct Step {
        let line: Int
        var command: String
        var output: [String] = []
        var errors: [String] = []
        var status: Int32 = 0
    }

    /// What may stand in an expected line in place of what cannot be foretold.
    private static let patterns = [
        "<n>": "-?[0-9]+",
        "<version>": "[0-9]+[.][0-9]+[.][0-9]+",
        "<date>": "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z",
        "<time>": "[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}",
        "<id>": "[0-9a-f]{16}",
        "<ago>": "([0-9]+ (days?|h|min|s) ?){1,2} ago",
        "<in>": "in ([0-9]+ (days?|h|min|s) ?){1,2}",
        "<memory>": "(that not even root can read|locked, never in the swap)",
        "<kind>": "(memfd_secret|locked)",
    ]

    let name: String
    var testDescription: String { name }

    static let all: [Transcript] = {
        let names =
            (try? FileManager.default.contentsOfDirectory(atPath: Programs.transcripts)) ?? []
        return names.filter { $0.hasSuffix(".txt") }.sorted().map(Transcript.init(name:))
    }()

    /// Reads the file.
    func steps() throws -> [Step] {
        let text = try String(contentsOfFile: Programs.transcripts + "/" + name, encoding: .utf8)
        var steps: [Step] = []
        var mayContinue = false
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            let isContinued = mayContinue
            mayContinue = false
            if line.hasPrefix("$ ") {
                steps.append(Step(line: index + 1, command: String(line.dropFirst(2))))
                mayContinue = true
            } else if line.isEmpty || line.hasPrefix("# ") {
                continue
            } else if isContinued, line.hasPrefix("> ") {
                steps[steps.count - 1].command += "\n" + line.dropFirst(2)
                mayContinue = true
            } else {
                let last = try #require(steps.indices.last, "\(name) does not begin with a command")
                if line.hasPrefix("2> ") {
                    steps[last].errors.append(String(line.dropFirst(3)))
                } else if line.hasPrefix("? ") {
                    steps[last].status = try #require(Int32(line.dropFirst(2)))
                } else {
                    // A line that looks like something else is written after a backslash.
                    steps[last].output.append(
                        String(line.hasPrefix("\\") ? line.dropFirst() : line))
                }
            }
        }
        return steps
    }

    /// The lines that are found to differ from those expected; nil when none does.
    static func difference(_ found: String, _ expected: [String], home: String) -> String? {
        let programs = URL(fileURLWithPath: Programs.folder ?? "").resolvingSymlinksInPath().path
        let text = found.replacing(home, with: "~").replacing(programs, with: "BIN")
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() } else { lines[lines.count - 1] += "<no end>" }
        // An empty line cannot be told from the space between two commands.
        lines.removeAll(where: \.isEmpty)
        let differs =
            lines.count != expected.count
            || zip(lines, expected).contains { !matches($0, $1) }
        guard differs else { return nil }
        return "found:\n\(lines.joined(separator: "\n"))\nexpected:\n"
            + expected.joined(separator: "\n")
    }

    private static func matches(_ line: String, _ expected: String) -> Bool {
        if line == expected { return true }
        guard expected.contains("<") else { return false }
        var pattern = NSRegularExpression.escapedPattern(for: expected)
        for (name, expression) in patterns { pattern = pattern.replacing(name, with: expression) }
        return line.range(of: "^(\(pattern))$", options: .regularExpression) != nil
    }
}
