import JSON
import Testing

struct JSONIndexTests {
    @Test func `a call is indexed`() throws {
        let text = try ScannedText(
            #" {"method":"org.accountd.Account.GetToken","parameters":{"min_validity":60}} "#)
        #expect(text.kind(text.root) == .object)
        #expect(text.count(text.root) == 2)
        #expect(text.range(text.root) == 1..<(text.bytes.count - 1))
        let method = try #require(text.member("method", text.root))
        #expect(text.equals(method, "org.accountd.Account.GetToken"))
        let parameters = try #require(text.member("parameters", text.root))
        let validity = try #require(text.member("min_validity", parameters))
        #expect(text.integer(validity) == 60)
        #expect(text.member("other", text.root) == nil)
    }
}
