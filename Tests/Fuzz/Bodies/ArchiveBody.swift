package import SecretMemory

@testable import PropertyList

/// The walker of an archive's objects.
///
/// An input that begins with `M` says how an archive is made.
package final class ArchiveBody: FuzzBody {
    package static let name = "archive"
    package static let vectors = ["archives", "imports"]

    package let arena: SecretArena
    private var graph = ObjectGraph(
        limits: ObjectGraphLimits(maximumDepth: 16, maximumVisits: 4096))

    package init() throws { arena = try SecretArena(capacity: 1 << 20, preferring: .lockedPages) }

    package func run(_ input: Span<UInt8>) throws {
        guard input.count > 0, input[0] == UInt8(ascii: "M") else { return try walk(input) }
        var choices = FuzzInput(input.array)
        _ = choices.byte()
        guard let archive = try ArchiveMaker.make(choices, in: arena) else { return }
        try archive.withBytes { try walk($0) }
    }

    private func walk(_ file: Span<UInt8>) throws {
        do throws(ObjectGraphError) {
            try graph.scan(file)
        } catch { return try visit(error, file) }
        var first: [Int] = []
        do throws(ObjectGraphError) {
            try graph.walk(in: file) { object, kind throws(ObjectGraphError) in
                first.append(object.node.object)
                try self.ask(object, kind, file)
                return .into
            }
        } catch {
            try require(first.count <= 4096, "more visits than the limit")
            return try visit(error, file)
        }
        var second: [Int] = []
        try graph.walk(in: file) { object, _ in
            second.append(object.node.object)
            return .into
        }
        try require(first == second, "two walks differ")
        var tops = 0
        try graph.forEachTop(in: file) { _, _ in tops += 1 }
        var shallow = 0
        try graph.walk(in: file) { _, _ in
            shallow += 1
            return .past
        }
        try require(shallow == tops, "what is passed over is gone into")
    }

    // Whatever is asked of an object gives an answer or the same error as the walk would.
    private func ask(
        _ object: ObjectGraph.Object, _ kind: ObjectGraph.Kind, _ file: Span<UInt8>
    ) throws(ObjectGraphError) {
        _ = try graph.member("access_token", of: object, in: file)
        _ = try graph.className(of: object, in: file)
        _ = try graph.object(object, isOf: "NSObject", in: file)
        _ = try graph.date(object, in: file)
        if let range = try graph.dataRange(object, in: file) {
            precondition(range.upperBound <= file.count, "data outside of the file")
        }
        guard let count = try graph.decodedCount(of: object, in: file) else {
            precondition(kind != .string, "a string without a length")
            return
        }
        guard var text = try? SecretBuffer(arena: arena, capacity: max(1, count)) else { return }
        try? graph.appendString(object, in: file, to: &text)
        precondition(text.count == count, "a string of another length")
        precondition(text.withBytes { $0.isUTF8 }, "a string that is not UTF-8")
    }

    private func visit(_ error: ObjectGraphError, _ file: Span<UInt8>) throws {
        switch error {
        case .malformed(let offset), .danglingReference(let offset), .duplicateKey(let offset):
            try require(
                (0...file.count).contains(offset), "an error outside of the file: \(error)")
        case .propertyList(let error):
            if case .memory = error { throw Violation(description: "a reader takes memory") }
        default: break
        }
    }
}
