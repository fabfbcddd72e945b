import Foundation
import Testing

@testable import Sealing

@Suite struct FormatDocumentTests {
    @Test("docs/FORMAT.md names each vector, and none that there is not")
    func vectorsAreNamed() throws {
        let document = Vectors.tests.deletingLastPathComponent().appending(path: "docs/FORMAT.md")
        let text = try String(contentsOf: document, encoding: .utf8)
        var named: Set<String> = []
        for citation in text.matches(of: /\*\[([a-z0-9_,;\s]+)\]\*/) {
            for name in citation.1.split(whereSeparator: { ",; \n".contains($0) }) {
                named.insert(String(name))
            }
        }
        let vectors = try Vectors.load()
        let present = Set(vectors.sealed.map(\.name) + vectors.slots.map(\.name))
        #expect(named.subtracting(present).isEmpty)
        #expect(present.subtracting(named).isEmpty)
    }

    @Test("the recovery code that docs/FORMAT.md shows is right")
    func example() throws {
        let document = Vectors.tests.deletingLastPathComponent().appending(path: "docs/FORMAT.md")
        let text = try String(contentsOf: document, encoding: .utf8)
        #expect(text.contains("    code   \(RecoveryCodeTests.code)\n"))
    }
}
