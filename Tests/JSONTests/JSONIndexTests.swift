import JSON
import Testing

@Suite struct JSONIndexTests {
    @Test("a call is indexed with its offsets")
    func call() throws {
        let text = try ScannedText(
            #" {"method":"org.accountd.Account.GetToken","parameters":{"min_validity":60}} "#)
        #expect(text.kind(text.root) == .object)
        #expect(text.count(text.root) == 2)
        #expect(text.range(text.root) == 1..<(text.bytes.count - 1))
        let method = try #require(text.member("method", text.root))
        #expect(text.equals(method, "org.accountd.Account.GetToken"))
        #expect(text.source(method) == "org.accountd.Account.GetToken")
        let parameters = try #require(text.member("parameters", text.root))
        #expect(text.source(parameters) == #"{"min_validity":60}"#)
        let validity = try #require(text.member("min_validity", parameters))
        #expect(text.integer(validity) == 60)
        #expect(text.member("other", text.root) == nil)
        #expect(text.member("metho", text.root) == nil)
        #expect(text.member("methods", text.root) == nil)
    }

    @Test(
        "each kind is told",
        arguments: zip(
            ["{}", "[]", #""""#, "0", "true", "false", "null"],
            [JSONIndex.Kind.object, .array, .string, .number, .true, .false, .null]))
    func kinds(_ source: String, _ kind: JSONIndex.Kind) throws {
        let text = try ScannedText("[\(source)]")
        let element = try #require(text.elements(text.root).first)
        #expect(text.kind(element) == kind)
        #expect(try ScannedText(source).kind(text.root) == kind)
    }

    @Test("members and elements come in the order of the text, whatever they hold")
    func order() throws {
        let text = try ScannedText(
            #"{"a":[1,[2,{"x":[]}],{}],"b":{"c":{"d":null}},"e":[],"f":"g"}"#)
        let members = text.members(text.root)
        #expect(try members.map { try text.string($0.name) } == ["a", "b", "e", "f"])
        #expect(
            members.map { text.source($0.value) }
                == [#"[1,[2,{"x":[]}],{}]"#, #"{"c":{"d":null}}"#, "[]", "g"])
        let elements = text.elements(members[0].value)
        #expect(elements.map { text.source($0) } == ["1", #"[2,{"x":[]}]"#, "{}"])
        #expect(elements.map { text.count($0) } == [0, 2, 0])
        #expect(text.count(text.root) == 4)
    }

    @Test("a value of another kind has no content and equals no string")
    func otherKinds() throws {
        let text = try ScannedText(#"["a",{"a":1},[1],1,true,null]"#)
        let elements = text.elements(text.root)
        for (place, element) in elements.enumerated() {
            #expect(text.members(element).count == (place == 1 ? 1 : 0))
            #expect(text.elements(element).count == (place == 2 ? 1 : 0))
            #expect((text.member("a", element) != nil) == (place == 1))
            #expect(text.equals(element, "a") == (place == 0))
            #expect(text.equals(element, "1") == false)
            #expect(text.decodedCount(element) == (place == 0 ? 1 : 0))
            #expect(try text.decoded(element).count == (place == 0 ? 1 : 0))
            #expect(text.integer(element) == (place == 3 ? 1 : nil))
            #expect(text.truncated(element) == (place == 3 ? .value(1) : .outOfRange))
        }
    }

    @Test("an error of the body ends the visit")
    func bodyThrows() throws {
        struct Stop: Error {}
        let bytes = Array(#"{"a":1,"b":[1,2,3]}"#.utf8)
        var index = JSONIndex()
        try index.scan(bytes.span)
        var visits = 0
        #expect(throws: Stop.self) {
            try index.forEachMember(of: index.root) { _, _ throws(Stop) in
                visits += 1
                throw Stop()
            }
        }
        let array = index.member("b", of: index.root, in: bytes.span)
        #expect(throws: Stop.self) {
            try index.forEachElement(of: #require(array)) { _ in
                visits += 1
                if visits == 3 { throw Stop() }
            }
        }
        #expect(visits == 3)
    }

    @Test("an index serves one text after the other, after refused and after large ones too")
    func reuse() throws {
        var index = JSONIndex(limits: JSONLimits(maximumBytes: 1 << 20))
        let large = Array("[\((0..<5000).map(String.init).joined(separator: ","))]".utf8)
        let names = Array("{\((0..<5000).map { "\"\($0)\":0" }.joined(separator: ","))}".utf8)
        let small = Array(#"{"a":"b"}"#.utf8)
        let broken = Array(#"{"a":["b"#.utf8)
        for _ in 0..<3 {
            try index.scan(large.span)
            #expect(index.count(of: index.root) == 5000)
            try index.scan(small.span)
            #expect(index.count(of: index.root) == 1)
            #expect(throws: JSONError.syntax(offset: 8)) { try index.scan(broken.span) }
            try index.scan(names.span)
            #expect(index.count(of: index.root) == 5000)
            let name = index.member("4999", of: index.root, in: names.span)
            #expect(name != nil)
            try index.scan(small.span)
            #expect(index.range(of: index.root) == 0..<9)
        }
    }

    @Test("to ask for the document of a refused text is a fault that stops the program")
    func rootOfRefusedText() async {
        await #expect(processExitsWith: .failure) {
            var index = JSONIndex()
            let text = Array(#"{"a":1"#.utf8)
            try? index.scan(text.span)
            _ = index.root
        }
    }
}
