import Glibc
import LinuxSystem
import Testing

@Suite struct RangeLockTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Whether the lock can be had at this moment.
    private func isFree(_ number: Int64, shared: Bool = false) throws -> Bool {
        let lock = try RangeLock.acquire(
            number, of: "lock", in: folder.open(), shared: shared, timeoutMilliseconds: 0)
        switch consume lock {
        case .none: return false
        case .some: return true
        }
    }

    private func take(_ number: Int64, shared: Bool = false) throws -> RangeLock {
        let lock = try RangeLock.acquire(
            number, of: "lock", in: folder.open(), shared: shared, timeoutMilliseconds: 1000)
        switch consume lock {
        case .none: throw Errno.busy
        case .some(let lock): return lock
        }
    }

    @Test("it keeps out others of its place, and of no other", arguments: [0, 1, 1 << 62])
    func exclusive(number: Int64) throws {
        let lock = try take(number)
        #expect(try !isFree(number))
        #expect(try !isFree(number, shared: true))
        #expect(try isFree(number ^ 2))
        withExtendedLifetime(lock) {}
    }

    @Test("it is given back when its owner goes")
    func released() throws {
        do { _ = try take(5) }
        #expect(try isFree(5))
        #expect(try folder.names() == ["lock"])
    }

    @Test("those who share it keep out who wants it alone")
    func shared() throws {
        let one = try take(7, shared: true)
        do {
            let two = try take(7, shared: true)
            #expect(try !isFree(7))
            withExtendedLifetime(two) {}
        }
        #expect(try !isFree(7))
        #expect(try isFree(7, shared: true))
        withExtendedLifetime(one) {}
    }

    @Test("a lock on a file that has lost its name is none")
    func lostName() async throws {
        let lock = try take(3)
        let directory = try folder.open()
        let path = folder.path
        let done = try EventCounter()
        let signal = done.signal
        try WorkerThread.start(name: "waiter") {
            if let directory = try? LinuxSystem.Directory.open(path, create: false),
                let own = try? RangeLock.acquire(
                    3, of: "lock", in: directory, timeoutMilliseconds: 10_000)
            {
                signal()
                usleep(200_000)
                withExtendedLifetime(own) {}
            }
        }
        usleep(50_000)
        try directory.unlink("lock")
        // Whoever waits has the file of that name, so that a third one finds it locked.
        let end = Clock.monotonicMilliseconds() + 5000
        while done.take() == 0, Clock.monotonicMilliseconds() < end { usleep(1000) }
        #expect(try !isFree(3))
        withExtendedLifetime(lock) {}
    }

    @Test("it is waited for as long as was said, and had as soon as it is free")
    func waits() throws {
        let lock = try take(9)
        let start = Clock.monotonicMilliseconds()
        let other = try RangeLock.acquire(
            9, of: "lock", in: folder.open(), timeoutMilliseconds: 100)
        let isNone: Bool
        switch consume other {
        case .none: isNone = true
        case .some: isNone = false
        }
        #expect(isNone)
        #expect(Clock.monotonicMilliseconds() - start >= 100)
        withExtendedLifetime(lock) {}
    }
}
