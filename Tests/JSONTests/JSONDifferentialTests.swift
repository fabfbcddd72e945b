import Foundation
import JSON
import SecretMemory
import TestSupport
import Testing

@Suite struct JSONDifferentialTests {
    private static let noPython: Comment = "there is no python3 on the PATH"

    @Test("Foundation reads the same out of random texts", arguments: 1...8 as ClosedRange<UInt64>)
    func foundation(_ seed: UInt64) throws {
        var generator = JSONTextGenerator(seed: seed, onlyFinite: true)
        let arena = try SecretArena.forTest()
        for _ in 0..<150 {
            let bytes = generator.next()
            let text = try ScannedText(bytes, arena: arena)
            let other = try JSONSerialization.jsonObject(
                with: Data(bytes), options: [.fragmentsAllowed])
            let difference = try difference(text, text.root, other)
            #expect(difference == nil, "\(String(decoding: bytes, as: UTF8.self))")
        }
    }

    /// The first place where the two disagree.
    private func difference(
        _ text: ScannedText, _ node: JSONIndex.Node, _ other: Any
    ) throws -> String? {
        let source = text.source(node)
        // NSNumber answers to Bool too.
        let isBoolean = String(describing: type(of: other)).contains("Bool")
        switch text.kind(node) {
        case .object:
            guard let members = other as? [String: Any], members.count == text.count(node) else {
                return source
            }
            for (name, value) in text.members(node) {
                // Canonical equivalence does not tell bytes; the key that was found does.
                let bytes = try text.decoded(name)
                let place = members.index(forKey: String(decoding: bytes, as: UTF8.self))
                guard let place, Array(members[place].key.utf8) == bytes else {
                    return text.source(name)
                }
                if let found = try difference(text, value, members[place].value) { return found }
            }
            return nil
        case .array:
            guard let elements = other as? [Any], elements.count == text.count(node) else {
                return source
            }
            for (element, value) in zip(text.elements(node), elements) {
                if let found = try difference(text, element, value) { return found }
            }
            return nil
        case .string:
            return try (other as? String).map { Array($0.utf8) } == text.decoded(node)
                ? nil : source
        case .number:
            guard let number = other as? NSNumber, !isBoolean else { return source }
            if let integer = text.integer(node) {
                return number.int64Value == integer ? nil : source
            }
            // It computes in decimals and may miss the nearest Double by a little.
            guard let double = Double(source) else { return source }
            return abs(number.doubleValue - double) <= abs(double) * 1e-14 ? nil : source
        case .true: return isBoolean && other as? Bool == true ? nil : source
        case .false: return isBoolean && other as? Bool == false ? nil : source
        case .null: return other is NSNull ? nil : source
        }
    }

    @Test(
        "Python reads the same out of random texts",
        .enabled(if: PythonReference.isAvailable, noPython))
    func pythonReads() throws {
        var generator = JSONTextGenerator(seed: 99, onlyFinite: false)
        let texts = (0..<1500).map { _ in generator.next() }
        let answers = try PythonReference.read(texts)
        try #require(answers.count == texts.count)
        var canonical = try CanonicalForm(limits: JSONLimits())
        for (text, answer) in zip(texts, answers) {
            let form = try canonical.of(text)
            #expect(form == answer.form, "\(String(decoding: text, as: UTF8.self))")
            #expect(form != "refused", "\(String(decoding: text, as: UTF8.self))")
        }
    }

    @Test(
        "what Python writes reads as what Python wrote",
        .enabled(if: PythonReference.isAvailable, noPython))
    func pythonWrites() throws {
        let answers = try PythonReference.write(seed: 5, count: 1000)
        try #require(answers.count == 1000)
        var canonical = try CanonicalForm(limits: JSONLimits())
        for answer in answers {
            let form = try canonical.of(bytes(ofHexadecimal: answer.text))
            #expect(form == answer.form && form != "refused", "\(answer.text)")
        }
    }

    private func bytes(ofHexadecimal text: String) -> [UInt8] {
        let digits = text.utf8.map { UInt8($0 < 0x3A ? $0 - 0x30 : $0 - 0x57) }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
