import Testing
import Varlink

@Suite struct MessageFramingTests {
    @Test(
        "a message ends at its terminator",
        arguments: [
            ([], 0, nil), ([0], 0, 0), ([1, 2], 0, nil), ([1, 0, 2, 0], 0, 1),
            ([1, 0, 2, 0], 2, 3), ([1, 0], 2, nil), ([1, 0], 9, nil),
        ] as [([UInt8], Int, Int?)])
    func end(bytes: [UInt8], start: Int, expected: Int?) {
        #expect(MessageFraming.end(in: bytes.span, from: start) == expected)
    }
}
