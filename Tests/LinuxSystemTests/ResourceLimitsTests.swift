import Glibc
import LinuxSystem
import Testing

@Suite struct ResourceLimitsTests {
    @Test("what is started without soft limits has the hard ones, and they come back afterwards")
    func softLimits() async {
        await #expect(processExitsWith: .success) {
            let number = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
            func limits() throws -> rlimit {
                var limit = rlimit()
                try #require(unsafe getrlimit(number, &limit) == 0)
                return limit
            }
            var given = rlimit(rlim_cur: 100, rlim_max: 5000)
            try #require(unsafe setrlimit(number, &given) == 0)
            let within = try ResourceLimits.withoutSoftLimits { try limits() }
            try #require(within.rlim_cur == 5000 && within.rlim_max == 5000)
            let after = try limits()
            try #require(after.rlim_cur == 100 && after.rlim_max == 5000)
            // They come back where it fails, too.
            #expect(throws: Errno.busy) {
                try ResourceLimits.withoutSoftLimits { () throws(Errno) in throw Errno.busy }
            }
            try #require(limits().rlim_cur == 100)
        }
    }
}
