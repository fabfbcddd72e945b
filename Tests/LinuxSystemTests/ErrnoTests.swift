import Glibc
import LinuxSystem
import Testing

@Suite struct ErrnoTests {
    @Test(
        "an error number has a name and a message",
        arguments: [
            (Errno.noSpace, "ENOSPC", "No space left on device"),
            (.notFound, "ENOENT", "No such file or directory"),
            (.notPermitted, "EPERM", "Operation not permitted"),
            (.permissionDenied, "EACCES", "Permission denied"),
            (.connectionRefused, "ECONNREFUSED", "Connection refused"),
            (.wouldBlock, "EAGAIN", "Resource temporarily unavailable"),
            (.quotaExceeded, "EDQUOT", "Disk quota exceeded"),
            (Errno(rawValue: 524), "errno 524", "errno 524"),
            (Errno(rawValue: 0), "errno 0", "errno 0"),
        ])
    func names(errno: Errno, name: String, message: String) {
        #expect(errno.name == name)
        #expect(errno.message == message)
        #expect(errno.description == (name == message ? name : "\(message) (\(name))"))
    }

    @Test("no two numbers share a name")
    func unique() {
        let names = (1..<135).map { Errno(rawValue: $0).name }
        #expect(Set(names).count == names.count)
    }

    @Test("an interrupted call is made again, and only if asked for")
    func interrupted() throws {
        var calls = 0
        let value = try valueOrErrno { () -> Int32 in
            calls += 1
            errno = EINTR
            return calls < 3 ? -1 : 7
        }
        #expect(value == 7)
        #expect(calls == 3)
        #expect(throws: Errno.interrupted) {
            try valueOrErrno(retryOnInterrupt: false) { () -> Int32 in
                errno = EINTR
                return -1
            }
        }
    }

    @Test("a failed call gives its error number")
    func failed() {
        #expect(throws: Errno.badFileDescriptor) { try valueOrErrno { fcntl(-1, F_GETFD) } }
    }
}
