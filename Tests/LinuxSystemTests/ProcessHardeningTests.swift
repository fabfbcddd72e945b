import Glibc
import LinuxSystem
import Testing

/// Each in a process of its own, since there is no way back.
@Suite struct ProcessHardeningTests {
    @Test("closed standard descriptors are opened, and still cannot be used", arguments: 1...7)
    func standardDescriptors(closed: Int) async {
        await #expect(processExitsWith: .exitCode(0)) { [closed = closed as Int] in
            let numbers = (0..<3 as Range<Int32>).filter { closed & (1 << Int($0)) != 0 }
            // A thread of the testing library may get a number in between; not ten times though.
            for _ in 0..<10 {
                for fd in numbers { close(fd) }
                try? ProcessHardening.openStandardDescriptors()
                if numbers.allSatisfy(isUseless) { exit(0) }
            }
            exit(1)
        }
    }

    @Test("open standard descriptors stay what they are")
    func openOnes() async {
        let result = await #expect(
            processExitsWith: .exitCode(0), observing: [\.standardOutputContent]
        ) {
            try ProcessHardening.openStandardDescriptors()
            try StandardStream.print("still here", to: StandardStream.output)
            exit(0)
        }
        let text = result.map { String(decoding: $0.standardOutputContent, as: UTF8.self) }
        #expect(text?.contains("still here") == true)
    }

    @Test("all of it takes effect")
    func apply() async {
        await #expect(processExitsWith: .exitCode(0)) {
            umask(0)
            try ProcessHardening.apply()
            var limit = rlimit()
            guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0,
                limit.rlim_cur == 0, limit.rlim_max == 0
            else { exit(1) }
            let status = String(
                decoding: try Files.readWhole("/proc/thread-self/status", limit: 1 << 16),
                as: UTF8.self)
            guard status.contains("NoNewPrivs:\t1\n") else { exit(2) }
            guard dumpable() == 0 else { exit(3) }
            guard umask(0) == 0o077 else { exit(4) }
            let error = failure { () throws(Errno) in try writeToNobody() }
            guard error == .brokenPipe else { exit(5) }
            exit(0)
        }
    }

    @Test("a command gets the usual effect of a closed pipe back")
    func restored() async {
        await #expect(processExitsWith: .signal(SIGPIPE)) {
            ProcessHardening.ignoreBrokenPipes()
            ProcessHardening.restoreBrokenPipes()
            try writeToNobody()
        }
    }

    @Test("the limit on open files is raised as far as it goes, and never lowered")
    func openFiles() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            var limit = rlimit(rlim_cur: 100, rlim_max: 500)
            guard unsafe setrlimit(resource, &limit) == 0 else { exit(1) }
            guard try ResourceLimits.raiseOpenFiles(to: 50) == 100 else { exit(2) }
            guard try ResourceLimits.raiseOpenFiles(to: 300) == 300 else { exit(3) }
            guard try ResourceLimits.raiseOpenFiles(to: 5000) == 500 else { exit(4) }
            guard unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur == 500 else { exit(5) }
            exit(0)
        }
    }

    @Test("the limit on locked memory is told")
    func lockedMemory() async {
        await #expect(processExitsWith: .exitCode(0)) {
            // RLIMIT_MEMLOCK, which Swift's Glibc module lacks.
            let resource = __rlimit_resource_t(8)
            var limit = rlimit(rlim_cur: 65_536, rlim_max: 65_536)
            guard unsafe setrlimit(resource, &limit) == 0 else { exit(1) }
            exit(ResourceLimits.lockedMemory() == 65_536 ? 0 : 2)
        }
    }
}

/// PR_GET_DUMPABLE; prctl(2) takes a variable number of arguments, which Swift does not import.
private func dumpable() -> Int32 {
    typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
    // SAFETY: with integer arguments the convention is that of an ordinary function.
    guard let symbol = unsafe dlsym(nil, "prctl") else { return -1 }
    let control = unsafe unsafeBitCast(symbol, to: Control.self)
    return control(3, 0, 0, 0, 0)
}

/// Writes to a pipe that nobody reads.
private func writeToNobody() throws(Errno) {
    let pipe = try Files.pipe()
    let writeEnd = try pipe.writeEnd.duplicate()
    try pipe.readEnd.close()
    try StandardStream.print("x", to: writeEnd.rawValue)
}

/// Whether a standard descriptor leads nowhere and refuses what it is for.
private func isUseless(_ fd: Int32) -> Bool {
    var room: [UInt8] = [0]
    let error = failure { () throws(Errno) -> Int in
        var span = room.mutableSpan
        return fd == 0 ? try Files.read(fd, into: &span) : try Files.write(fd, [1].span)
    }
    return (try? Files.readLink("/proc/self/fd/\(fd)")) == "/dev/null"
        && fcntl(fd, F_GETFD) == 0 && error == .badFileDescriptor
}
