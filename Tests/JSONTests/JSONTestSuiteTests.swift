import Foundation
import JSON
import Testing

/// The public JSONTestSuite, whose folder test_parsing the environment variable JSONTESTSUITE names.
@Suite(
    .enabled(
        if: ProcessInfo.processInfo.environment["JSONTESTSUITE"] != nil,
        "JSONTESTSUITE does not name the folder test_parsing of the JSONTestSuite"))
struct JSONTestSuiteTests {
    /// What RFC 8259 allows and this scanner does not by default.
    private static let grammarOnly = JSONLimits(
        maximumBytes: 1 << 20, maximumDepth: .max, allowsDuplicateKeys: true,
        allowsEscapedNUL: true)

    /// The only files of the y_ kind that need the grammar alone, and what is said of them else.
    private static let refusedByDefault: [String: JSONError] = [
        "y_object_duplicated_key.json": .duplicateKey(offset: 9),
        "y_object_duplicated_key_and_value.json": .duplicateKey(offset: 9),
        "y_object_escaped_null_in_key.json": .nulCharacter(offset: 5),
        "y_string_null_escape.json": .nulCharacter(offset: 2),
    ]

    private static func files(_ prefix: String) throws -> [(name: String, text: [UInt8])] {
        let folder = URL(
            fileURLWithPath: try #require(ProcessInfo.processInfo.environment["JSONTESTSUITE"]))
        return try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasPrefix(prefix) && $0.hasSuffix(".json") }
            .sorted()
            .map { ($0, Array(try Data(contentsOf: folder.appendingPathComponent($0)))) }
    }

    @Test("every y_ file is accepted, four of them by the grammar alone")
    func accepted() throws {
        let files = try Self.files("y_")
        #expect(files.count >= 95)
        #expect(Set(Self.refusedByDefault.keys).isSubset(of: files.map(\.name)))
        for (name, text) in files {
            #expect(refusal(of: text, Self.grammarOnly) == nil, "\(name)")
            #expect(refusal(of: text) == Self.refusedByDefault[name], "\(name)")
        }
    }

    @Test("every n_ file is refused, by the grammar alone too")
    func refused() throws {
        let files = try Self.files("n_")
        #expect(files.count >= 188)
        for (name, text) in files {
            #expect(refusal(of: text) != nil, "\(name)")
            #expect(refusal(of: text, Self.grammarOnly) != nil, "\(name)")
        }
    }

    @Test("of the i_ files, numbers of any size and any depth are accepted, and no broken text")
    func either() throws {
        let files = try Self.files("i_")
        #expect(files.count >= 35)
        for (name, text) in files {
            let isDeep = name == "i_structure_500_nested_arrays.json"
            #expect(
                refusal(of: text)
                    == (isDeep
                        ? .tooDeep(offset: 16)
                        : refusal(
                            of: text, Self.grammarOnly)),
                "\(name)")
            #expect(
                (refusal(of: text, Self.grammarOnly) == nil)
                    == (isDeep || name.hasPrefix("i_number_")), "\(name)")
        }
    }
}
