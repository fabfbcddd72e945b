import Foundation
import LinuxSystem
import Testing

@Suite struct UnixSocketTests {
    @Test("what is sent on one end is received on the other")
    func pair() throws {
        let pair = try UnixSocket.pair()
        let sent = try UnixSocket.send(fd: pair.first.rawValue, [1, 2, 3].span)
        #expect(sent == 3)
        var room = [UInt8](repeating: 0, count: 8)
        var span = room.mutableSpan
        let received = try UnixSocket.receive(fd: pair.second.rawValue, into: &span)
        #expect(received == 3)
        #expect(room[..<3] == [1, 2, 3])
    }
}
