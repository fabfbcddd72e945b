import Foundation

/// The inputs of one body: its own in Tests/Fuzz/Corpora, and the vectors that it shares.
struct Corpus {
    /// No other file is an input.
    private static let notes: Set<String> = ["py", "md"]

    let inputs: [(file: String, bytes: [UInt8])]

    init(of body: any FuzzBody.Type) throws {
        let fuzz = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let vectors = fuzz.deletingLastPathComponent().appending(path: "Vectors")
        let folders =
            [fuzz.appending(path: "Corpora/\(body.name)")]
            + body.vectors.map { vectors.appending(path: $0) }
        inputs = try folders.flatMap { folder in
            try FileManager.default
                .contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
                .filter { !Self.notes.contains($0.pathExtension) }
                .sorted { $0.lastPathComponent < $1.lastPathComponent }
                .map { (file: $0.lastPathComponent, bytes: Array(try Data(contentsOf: $0))) }
        }
    }
}

/// What went wrong with which input.
struct Finding: CustomStringConvertible {
    let file: String
    let bytes: [UInt8]
    let what: String

    // The bytes as base64, to be put into a file and run again.
    var description: String {
        "\(what), at a change of \(file): \(Data(bytes).base64EncodedString())"
    }
}

extension FuzzBody {
    /// Runs a corpus and changes of it.
    ///
    /// - Returns: how many inputs were run, and what was found, one of each kind.
    func search(
        _ corpus: Corpus, changes: Int, seed: UInt64
    ) -> (runs: Int, findings: [Finding]) {
        var findings: [Finding] = []
        var runs = 0
        let room = GuardedInput(limit: Self.maximumSize)
        func run(_ file: String, _ bytes: [UInt8]) {
            runs += 1
            do { try room.withBytes(bytes) { try check($0) } } catch {
                // One of each kind says it all.
                if !findings.contains(where: { $0.what == "\(error)" }) {
                    findings.append(Finding(file: file, bytes: bytes, what: "\(error)"))
                }
            }
        }
        // A vector may be longer than what fuzzing makes of it.
        let inputs = corpus.inputs.map { ($0.file, Array($0.bytes.prefix(Self.maximumSize))) }
        for (file, bytes) in inputs { run(file, bytes) }
        guard !inputs.isEmpty else { return (runs, findings) }
        var mutations = Mutations(seed: seed)
        let all = inputs.map(\.1)
        for change in 0..<changes {
            let (file, bytes) = inputs[change % inputs.count]
            run(file, mutations.change(bytes, besides: all, limit: Self.maximumSize))
        }
        return (runs, findings)
    }
}
