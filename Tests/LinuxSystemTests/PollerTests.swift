import Glibc
import LinuxSystem
import Testing

@Suite struct PollerTests {
    private func wait(_ poller: inout Poller, _ timeout: Int32 = 0) throws -> [UInt64: PollEvents] {
        var found = [UInt64: PollEvents]()
        for index in 0..<(try poller.wait(timeoutMilliseconds: timeout)) {
            let event = poller.event(at: index)
            found[event.token] = event.events
        }
        return found
    }

    @Test("a descriptor is reported as long as it is ready, with its token")
    func levelTriggered() throws {
        var poller = try Poller()
        let pair = try UnixSocket.pair()
        let token: UInt64 = 0xFFFF_FFFF_0000_0001
        try poller.add(fd: pair.first.rawValue, events: .readable, token: token)
        #expect(try wait(&poller) == [:])
        _ = try UnixSocket.send(fd: pair.second.rawValue, [1].span)
        for _ in 0..<3 { #expect(try wait(&poller) == [token: .readable]) }
        try poller.modify(fd: pair.first.rawValue, events: [.readable, .writable], token: 2)
        #expect(try wait(&poller) == [2: [.readable, .writable]])
        try poller.modify(fd: pair.first.rawValue, events: [], token: 2)
        #expect(try wait(&poller) == [:])
        try poller.remove(fd: pair.first.rawValue)
        #expect(throws: Errno.notFound) { try poller.remove(fd: pair.first.rawValue) }
    }

    @Test("a peer that goes is reported, half and whole")
    func hangup() throws {
        var poller = try Poller()
        let pair = try UnixSocket.pair()
        try poller.add(
            fd: pair.first.rawValue, events: [.readable, .peerClosed], token: 1)
        shutdown(pair.second.rawValue, Int32(SHUT_WR))
        #expect(try wait(&poller) == [1: [.readable, .peerClosed]])
        try pair.second.close()
        #expect(try wait(&poller) == [1: [.readable, .peerClosed, .hangup]])
    }

    @Test("what one wait does not hold comes with the next")
    func many() throws {
        var poller = try Poller()
        let counters = try (0..<100).map { _ in try EventCounter().raised() }
        defer { for counter in counters { close(counter) } }
        for (index, counter) in counters.enumerated() {
            try poller.add(fd: counter, events: .readable, token: UInt64(index))
        }
        var seen = Set<UInt64>()
        for _ in 0..<10 where seen.count < 100 {
            let found = try wait(&poller)
            #expect(found.count <= Poller.eventsPerWait)
            seen.formUnion(found.keys)
        }
        #expect(seen == Set(0..<100))
    }

    @Test("a wait ends when the time is up")
    func timeout() throws {
        var poller = try Poller()
        let start = Clock.monotonicMilliseconds()
        #expect(try wait(&poller, 50) == [:])
        #expect(Clock.monotonicMilliseconds() - start >= 49)
    }

    @Test("an event past those of the last wait is not to be had")
    func outOfBounds() async {
        await #expect(processExitsWith: .failure) {
            let poller = try Poller()
            _ = poller.event(at: 0)
            exit(0)
        }
    }
}

extension EventCounter {
    /// A counter of 1 as a bare descriptor, which the caller closes.
    fileprivate consuming func raised() -> Int32 {
        signal()
        return fcntl(rawValue, F_DUPFD_CLOEXEC, 3)
    }
}
