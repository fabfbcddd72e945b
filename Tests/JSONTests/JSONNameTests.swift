import JSON
import Testing

@Suite struct JSONNameTests {
    /// An object with these contents of names, each as it stands in the text.
    private func object(_ names: [String]) -> String {
        "{" + names.map { "\"\($0)\":0" }.joined(separator: ",") + "}"
    }

    @Test(
        "a name given twice is refused, whatever the escapes",
        arguments: [
            (#"{"a":1,"a":2}"#, 7), (#"{"a":1,"a":1}"#, 7), (#"{"a":1,"b":2,"a":3}"#, 13),
            (#"{"b":1,"a":2,"a":3}"#, 13), (#"{"a":1,"\u0061":2}"#, 7),
            (#"{"\u0061":1,"a":2}"#, 12),
            (#"{"":1,"":2}"#, 6), (#"{"\n":1,"\u000a":2}"#, 8), (#"{"\/":1,"/":2}"#, 8),
            (#"{"é":1,"\u00E9":2}"#, 8), (#"{"\ud83d\ude00":1,"😀":2}"#, 18),
            (#"{"x":{"a":1,"a":2}}"#, 12), (#"[{"a":[],"a":{}}]"#, 9),
            (#"{"a":{"a":1},"a":2}"#, 13), (#"{"a":[1,{"b":1}],"c":1,"a":0}"#, 23),
        ])
    func refused(_ text: String, _ offset: Int) {
        #expect(refusal(of: text) == .duplicateKey(offset: offset))
        #expect(refusal(of: text, JSONLimits(allowsDuplicateKeys: true)) == nil)
    }

    @Test(
        "names that differ are accepted, however little",
        arguments: [
            #"{"a":1,"b":2}"#, #"{"a":1,"A":2}"#, #"{"a":{"a":{"a":1}}}"#, #"[{"a":1},{"a":1}]"#,
            #"{"a":1,"":2," ":3}"#, #"{"a":1,"aa":2,"aaa":3}"#, #"{"\\u0061":1,"a":2}"#,
            // Composed and decomposed: two names, although they look the same.
            #"{"\u00e9":1,"e\u0301":2}"#, "{\"\u{E9}\":1,\"e\u{301}\":2}",
        ])
    func accepted(_ text: String) {
        #expect(refusal(of: text) == nil)
    }

    @Test("one pair of equal names is found among few and among many")
    func everyPair() {
        for count in [2, 3, 7, 8, 9, 10, 15, 16, 17, 33] {
            let names = (0..<count).map { "name\($0)" }
            #expect(refusal(of: object(names)) == nil, "\(count) names")
            for first in 0..<count {
                for second in (first + 1)..<count where second % 3 == first % 3 {
                    var some = names
                    // Escaped in one of the two places.
                    some[second] = "\\u006eame\(first)"
                    let text = object(some)
                    let before = object(Array(some[0..<second])).utf8.count
                    #expect(
                        refusal(of: text) == .duplicateKey(offset: before),
                        "\(first) and \(second) of \(count)")
                }
            }
        }
    }

    @Test("of three equal names the second is named")
    func three() {
        let many = (0..<20).map { "n\($0)" }
        #expect(refusal(of: object(["a", "a", "a"])) == .duplicateKey(offset: 7))
        #expect(refusal(of: object(["a", "a"] + many + ["a"])) == .duplicateKey(offset: 7))
    }

    @Test("a lookup finds the first of several equal names, when they are allowed")
    func lookup() throws {
        let text = try ScannedText(
            #"{"b":0,"a":1,"a":2}"#, JSONLimits(allowsDuplicateKeys: true))
        let value = try #require(text.member("a", text.root))
        #expect(text.integer(value) == 1)
        #expect(text.count(text.root) == 3)
    }

    @Test("large objects within and beside each other do not disturb each other")
    func nested() {
        let inner = object((0..<40).map { "n\($0)" })
        let names = (0..<40).map { "\"n\($0)\":\($0 % 7 == 0 ? inner : "0")" }
        #expect(refusal(of: "{\(names.joined(separator: ","))}") == nil)
        #expect(refusal(of: "[\(inner),\(inner),\(object(["n0", "n1"]))]") == nil)
        let again = names + [#""n21":0"#]
        let text = "{\(again.joined(separator: ","))}"
        #expect(refusal(of: text) == .duplicateKey(offset: text.utf8.count - 8))
    }
}
