import Glibc
import LinuxSystem
import Testing

@Suite struct FileLockTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func lock(_ name: String = "lock") throws -> FileLock {
        try FileLock(name, in: folder.open())
    }

    @Test("one holds the lock, and its process id can be read")
    func exclusive() throws {
        var first = try lock()
        var second = try lock()
        let before = second.holderPID()
        #expect(before == nil)
        let took = try first.tryAcquire()
        #expect(took)
        let tookToo = try second.tryAcquire()
        #expect(!tookToo)
        let holder = second.holderPID()
        #expect(holder == getpid())
        first.release()
        // A child of another test that has not become its program yet has a copy of the descriptor.
        let tookThen = try second.acquire(timeoutMilliseconds: 5000)
        #expect(tookThen)
        #expect(try FileStatus.of(path: folder("lock"), following: false).permissions == 0o600)
    }

    @Test("several share a lock, and keep out who wants it alone")
    func shared() throws {
        var first = try lock()
        var second = try lock()
        var third = try lock()
        let results = [
            try first.tryAcquire(shared: true), try second.tryAcquire(shared: true),
            try third.tryAcquire(),
        ]
        #expect(results == [true, true, false])
        first.release()
        second.release()
        let then = try third.tryAcquire()
        #expect(then)
    }

    @Test("another process is kept out, and waits its time")
    func processes() async throws {
        var held = try lock()
        let took = try held.tryAcquire()
        #expect(took)
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            var lock = try FileLock("lock", in: LinuxSystem.Directory.open(path, create: false))
            let start = Clock.monotonicMilliseconds()
            let took = try lock.acquire(timeoutMilliseconds: 200)
            let waited = Clock.monotonicMilliseconds() - start
            try #require(!took)
            try #require(waited >= 200 && waited < 2000)
            try #require(lock.holderPID() == getppid())
        }
    }

    @Test("a lock goes with the process that held it")
    func dies() async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String] in
            var lock = try FileLock("lock", in: LinuxSystem.Directory.open(path, create: false))
            guard try lock.tryAcquire() else { exit(1) }
            kill(getpid(), SIGKILL)
        }
        var lock = try lock()
        let holder = lock.holderPID()
        #expect(holder != nil && holder != getpid())
        let took = try lock.acquire(timeoutMilliseconds: 5000)
        #expect(took)
    }

    @Test("a lock that is given back is had by who waits for it")
    func waits() throws {
        var first = try lock()
        _ = try first.tryAcquire()
        let done = try EventCounter()
        let signal = done.signal
        let path = folder.path
        try WorkerThread.start(name: "waiter") {
            if let directory = try? LinuxSystem.Directory.open(path, create: false),
                var lock = try? FileLock("lock", in: directory),
                (try? lock.acquire(timeoutMilliseconds: 10_000)) == true
            {
                signal()
            }
        }
        let early = try Poll.wait(done.rawValue, for: .readable, timeoutMilliseconds: 100)
        #expect(early == [])
        first.release()
        let late = try Poll.wait(done.rawValue, for: .readable, timeoutMilliseconds: 10_000)
        #expect(late == .readable)
    }

    @Test("a lock file that was taken away keeps nobody out, and is made anew")
    func removed() throws {
        var first = try lock()
        _ = try first.tryAcquire()
        try Files.unlink(folder("lock"))
        var second = try lock()
        let took = try second.tryAcquire()
        #expect(took)
        #expect(try folder.names() == ["lock"])
    }

    @Test(
        "a lock file that is taken away while it is being locked is no lock",
        .enabled(if: canTrace, "needs root and strace, to hold a system call up"))
    func removedMeanwhile() async throws {
        await #expect(processExitsWith: .exitCode(0)) { [path = folder.path as String] in
            var first = try FileLock("lock", in: LinuxSystem.Directory.open(path, create: false))
            var second = try FileLock("lock", in: LinuxSystem.Directory.open(path, create: false))
            let tracer = try traceThisThread("inject=flock:delay_enter=500000:when=1")
            try WorkerThread.start(name: "removing") {
                for _ in 0..<1000 {
                    if (try? Files.unlink(path + "/lock")) != nil { return }
                    usleep(1000)
                }
            }
            let took = try first.tryAcquire()
            kill(tracer, SIGTERM)
            _ = try ChildProcess.wait(for: tracer)
            let tookToo = try second.tryAcquire()
            exit(took && !tookToo ? 0 : 1)
        }
    }

    @Test("a symbolic link is not locked, nor what it leads to")
    func link() throws {
        try folder.write("precious", "text")
        try PathSetup.link("precious", at: folder("lock"))
        var lock = try lock()
        #expect(throws: Errno.loop) { try lock.tryAcquire() }
        #expect(try folder.text("precious") == "text")
    }

    @Test(
        "what is no process id is none", arguments: ["", "x\n", "-\n", "12345678901234567\n", "\n"])
    func noPID(text: String) throws {
        try folder.write("lock", text)
        let holder = try lock().holderPID()
        #expect(holder == nil)
    }
}
