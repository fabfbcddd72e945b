import Foundation
import JSON
import Testing

/// Texts cut off at every byte and changed in every byte to every value.
@Suite struct JSONDamageTests {
    private static let texts = [
        #"{"method":"org.accountd.Account.GetToken","parameters":{}}"#,
        #" {"a":[1,-2.5e+3,true,false,null],"\u00e9\ud83d\ude00":{"b":"\n"}} "#,
        #"[0,-0.10,1E-5,"微博\\","",[],{}]"#,
        "\"\u{e9}\u{1F600}\\uD83D\\uDE00\\/\"",
        "-120.034e-17",
        #"{"0":0,"1":1,"2":2,"3":3,"4":4,"5":5,"6":6,"7":7,"8":8,"9":9}"#,
    ].map { Array($0.utf8) }

    private static func changed(_ text: [UInt8]) -> [[UInt8]] {
        text.indices.flatMap { place in
            (0...UInt8.max).map { byte in
                var copy = text
                copy[place] = byte
                return copy
            }
        }
    }

    private static func cut(_ text: [UInt8]) -> [[UInt8]] {
        text.indices.map { Array(text[..<$0]) }
    }

    @Test("a container or string that is cut off is refused where it ends", arguments: texts)
    func cutOff(_ text: [UInt8]) throws {
        // A number that is cut off may be another number.
        guard text.first != UInt8(ascii: "-") else { return }
        // What closes the outermost value; only whitespace follows.
        let close = try #require(text.lastIndex { $0 != 0x20 })
        for prefix in Self.cut(text).prefix(close + 1) {
            let error = refusal(of: prefix)
            let isBlank = prefix.allSatisfy { $0 == 0x20 }
            switch error {
            case .syntax(let offset): #expect(offset == prefix.count)
            case .empty: #expect(isBlank)
            // Within a character, or between the halves of a pair.
            case .notUTF8(let offset): #expect(prefix.count - offset < 4)
            case .loneSurrogate(let offset): #expect(prefix.count - offset < 12)
            default: Issue.record("\(prefix.count) bytes gave \(String(describing: error))")
            }
        }
    }

    @Test(
        "Python accepts and refuses the same cut and changed texts, and reads the same",
        .enabled(if: PythonReference.isAvailable, "there is no python3 on the PATH"))
    func python() throws {
        let texts = Self.texts.flatMap { Self.cut($0) + Self.changed($0) }
        let answers = try PythonReference.read(texts)
        try #require(answers.count == texts.count)
        var canonical = try CanonicalForm(limits: JSONLimits())
        for (text, answer) in zip(texts, answers) {
            let form = try canonical.of(text)
            guard form != answer.form else { continue }
            Issue.record("\(String(decoding: text, as: UTF8.self)): \(form), not \(answer.form)")
        }
    }

    /// Where Foundation is known to accept what is not strict JSON.
    ///
    /// What it refuses of strict JSON is a number past the range of Double.
    private enum Leniency {
        /// A comma before a closing bracket.
        case trailingComma
        /// It guesses UTF-16 and UTF-32 from zero bytes.
        case encodings
        /// A name given twice; the last counts.
        case duplicateKey
        /// U+0000 as an escape.
        case escapedNUL
    }

    private static func leniency(_ text: [UInt8], _ error: JSONError) -> Leniency? {
        if text.contains(0) { return .encodings }
        switch error {
        case .duplicateKey: return .duplicateKey
        case .nulCharacter: return .escapedNUL
        case .syntax(let offset):
            guard offset < text.count, text[offset] == 0x5D || text[offset] == 0x7D else {
                return nil
            }
            let before = text[..<offset].last { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
            return before == UInt8(ascii: ",") ? .trailingComma : nil
        default: return nil
        }
    }

    @Test(
        "Foundation accepts and refuses the same changed texts, but for what it is lenient in",
        arguments: texts)
    func foundation(_ text: [UInt8]) {
        for changed in Self.changed(text) + Self.cut(text) {
            let other = try? JSONSerialization.jsonObject(
                with: Data(changed), options: [.fragmentsAllowed])
            guard let error = refusal(of: changed) else {
                let string = String(decoding: changed, as: UTF8.self)
                #expect(other != nil || Double(string)?.isInfinite == true, "\(string)")
                continue
            }
            if other != nil, Self.leniency(changed, error) == nil {
                Issue.record("\(error): \(String(decoding: changed, as: UTF8.self))")
            }
        }
    }
}
