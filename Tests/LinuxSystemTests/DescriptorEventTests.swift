import Glibc
import LinuxSystem
import Testing

@Suite struct DescriptorEventTests {
    @Test("signals are read, each once, and nothing else happens to the process")
    func signals() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let signals = try SignalDescriptor([SIGTERM, SIGUSR1])
            guard try signals.next() == nil else { exit(1) }
            // To this thread, since others of the test's process do not block them.
            pthread_kill(pthread_self(), SIGUSR1)
            pthread_kill(pthread_self(), SIGUSR1)
            pthread_kill(pthread_self(), SIGTERM)
            let ready = try Poll.wait(
                signals.rawValue, for: .readable, timeoutMilliseconds: 1000)
            guard ready == .readable else { exit(2) }
            let found = [try signals.next(), try signals.next(), try signals.next()]
            exit(Set(found) == [SIGUSR1, SIGTERM, nil] ? 0 : 3)
        }
    }

    @Test("a counter that another thread raises is read and begins anew")
    func counter() throws {
        let counter = try EventCounter()
        #expect(counter.take() == 0)
        let signal = counter.signal
        try WorkerThread.start(name: "raising") { for _ in 0..<3 { signal() } }
        var total: UInt64 = 0
        while total < 3 {
            let ready = try Poll.wait(
                counter.rawValue, for: .readable, timeoutMilliseconds: 10_000)
            try #require(ready == .readable)
            total += counter.take()
        }
        #expect(total == 3)
        #expect(counter.take() == 0)
    }

    @Test("a thread has its name, blocks every signal and leaves the starter's mask alone")
    func thread() throws {
        let done = try Files.pipe()
        let answer = try done.writeEnd.duplicate().release()
        func mask(_ text: String) -> Substring? {
            text.split(separator: "\n").first { $0.hasPrefix("SigBlk:") }
        }
        let path = "/proc/thread-self/status"
        let before = String(decoding: try Files.readWhole(path, limit: 1 << 16), as: UTF8.self)
        try WorkerThread.start(name: "account-worker") {
            let status = (try? Files.readWhole(path, limit: 1 << 16)) ?? []
            try? StandardStream.writeAll(status.span, to: answer)
            close(answer)
        }
        try done.writeEnd.close()
        let inside = String(decoding: try done.readEnd.readWhole(limit: 1 << 16), as: UTF8.self)
        let after = String(decoding: try Files.readWhole(path, limit: 1 << 16), as: UTF8.self)
        #expect(inside.hasPrefix("Name:\taccount-worker\n"))
        // All but SIGKILL, SIGSTOP and the two that the C library keeps for itself.
        #expect(
            mask(inside) == "SigBlk:\tfffffffe3ffbfeff" || mask(inside)?.hasSuffix("feff") == true)
        #expect(mask(before) == mask(after))
    }

    @Test(
        "a timer goes off once when its time has come, on each clock",
        arguments: [TimerDescriptor.Source.monotonic, .boottime, .realtime])
    func once(source: TimerDescriptor.Source) throws {
        let timer = try TimerDescriptor(source)
        func outcome() throws -> TimerDescriptor.Outcome { try timer.acknowledge() }
        func ready(_ milliseconds: Int64) throws -> PollEvents {
            try Poll.wait(timer.rawValue, for: .readable, timeoutMilliseconds: milliseconds)
        }
        #expect(try outcome() == .pending)
        try timer.set(afterMilliseconds: 40)
        #expect(try outcome() == .pending)
        let start = Clock.monotonicMilliseconds()
        #expect(try ready(10_000) == .readable)
        #expect(Clock.monotonicMilliseconds() - start >= 30)
        #expect(try outcome() == .expired(1))
        #expect(try ready(20) == [])
        // What is past, or now, is at once.
        for milliseconds: Int64 in [0, -5, .min] {
            try timer.set(afterMilliseconds: milliseconds)
            #expect(try ready(10_000) == .readable)
            try timer.set(atMilliseconds: milliseconds)
            #expect(try ready(10_000) == .readable)
        }
        try timer.set(afterMilliseconds: 1)
        try timer.disarm()
        usleep(5000)
        #expect(try outcome() == .pending)
    }

    @Test("a timer goes off at a point of its clock, and never before")
    func absolute() throws {
        for source in [TimerDescriptor.Source.monotonic, .boottime] {
            let timer = try TimerDescriptor(source)
            func now() -> Int64 {
                source == .monotonic
                    ? Clock.monotonicMilliseconds() : Clock.boottimeMilliseconds()
            }
            let point = now() + 40
            try timer.set(atMilliseconds: point)
            let ready = try Poll.wait(timer.rawValue, for: .readable, timeoutMilliseconds: 10_000)
            #expect(ready == .readable)
            #expect(now() >= point)
        }
    }

    @Test("a periodic timer counts how often it has gone off")
    func periodic() throws {
        let timer = try TimerDescriptor(.monotonic)
        try timer.set(afterMilliseconds: 5, period: 5)
        usleep(60_000)
        let outcome = try timer.acknowledge()
        guard case .expired(let count) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(count >= 5)
    }

    @Test("waiting for a descriptor ends when it is ready, fails, or the time is up")
    func poll() throws {
        let pair = try UnixSocket.pair()
        func wait(_ events: PollEvents, _ timeout: Int64) throws -> PollEvents {
            try Poll.wait(pair.first.rawValue, for: events, timeoutMilliseconds: timeout)
        }
        #expect(try wait(.writable, -1) == .writable)
        let start = Clock.monotonicMilliseconds()
        #expect(try wait(.readable, 50) == [])
        #expect(Clock.monotonicMilliseconds() - start >= 50)
        _ = try UnixSocket.send(fd: pair.second.rawValue, [1].span)
        #expect(try wait(.readable, .max) == .readable)
        shutdown(pair.second.rawValue, Int32(SHUT_RDWR))
        #expect(try wait([.readable, .writable], 0).contains(.hangup))
        let either = try Poll.wait(
            -1, for: .readable, or: pair.first.rawValue, timeoutMilliseconds: 1000)
        #expect(either.first == [] && either.second.contains(.readable))
    }
}
