import Glibc
import TestSupport
import Testing

@Suite struct CorpusTests {
    /// Changed inputs for each body; `scripts/fuzz` tries millions.
    private static let changes = 500

    @Test(
        "every body has a corpus, and finds nothing in it and near it",
        arguments: Bodies.all.map { $0.name })
    func corpus(_ name: String) throws {
        let type = try #require(Bodies.named(name))
        let corpus = try Corpus(of: type)
        try #require(corpus.inputs.count >= 5, "\(name) has hardly a corpus")
        let (runs, findings) = try type.init().search(corpus, changes: Self.changes, seed: 1)
        #expect(runs == corpus.inputs.count + Self.changes)
        for finding in findings { Issue.record("\(name): \(finding)") }
    }

    @Test("a fault that is there is found")
    func planted() throws {
        let corpus = try Corpus(of: Bodies.planted)
        let found = try Bodies.planted.init().search(corpus, changes: 10_000, seed: 1)
        #expect(found.findings.contains { $0.what.hasSuffix("the planted fault") })
    }

    @Test(
        "a byte read past an input's end ends the process",
        .disabled(if: Sanitizer.isActive, "a sanitizer ends it in a way of its own"))
    func guarded() async {
        await #expect(processExitsWith: .signal(SIGSEGV)) {
            let room = GuardedInput(limit: 10)
            room.withBytes([1, 2, 3]) { bytes in
                unsafe bytes.withUnsafeBufferPointer { inside in
                    // SAFETY: it is not; that is what is looked at.
                    guard let start = inside.baseAddress else { return }
                    if unsafe start[3] == 7 { exit(3) }
                }
            }
            exit(0)
        }
    }
}
