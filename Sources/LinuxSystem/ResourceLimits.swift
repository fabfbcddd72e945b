import CLinux
import Glibc

/// Limits that the kernel sets to a process. getrlimit(2)
package enum ResourceLimits {
    /// Bytes that may be locked in memory; nil for no limit. RLIMIT_MEMLOCK
    package static func lockedMemory() -> Int? {
        var bytes = 0
        // SAFETY: one number to fill.
        guard unsafe clinux_memlock_limit(&bytes) == 0, bytes >= 0 else { return nil }
        return bytes
    }

    /// Does something, the start of another program, under this process's hard limits alone.
    ///
    /// A soft limit is the caller's for its own work: on file sizes, processor time, address space,
    /// data, locked memory, processes. setrlimit(2)
    package static func withoutSoftLimits<R: ~Copyable, E>(_ body: () throws(E) -> R) throws(E) -> R
    {
        var before = [UInt64](repeating: 0, count: Int(CLINUX_LIMITS))
        // SAFETY: room for so many numbers.
        unsafe before.withUnsafeMutableBufferPointer {
            if let start = $0.baseAddress { unsafe clinux_raise_limits(start) }
        }
        defer {
            unsafe before.withUnsafeBufferPointer {
                if let start = $0.baseAddress { unsafe clinux_restore_limits(start) }
            }
        }
        return try body()
    }

    /// Raises the number of descriptors that may be open, as far as the hard limit lets it.
    /// RLIMIT_NOFILE
    ///
    /// - Parameter wanted: how many are needed; a limit that is higher already stays.
    /// - Returns: the limit now.
    @discardableResult
    package static func raiseOpenFiles(to wanted: UInt64) throws(Errno) -> UInt64 {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        // SAFETY: one structure to fill, and one that the kernel copies.
        _ = try valueOrErrno { unsafe getrlimit(resource, &limit) }
        guard UInt64(limit.rlim_cur) < wanted else { return UInt64(limit.rlim_cur) }
        limit.rlim_cur = min(limit.rlim_max, rlim_t(wanted))
        _ = try valueOrErrno { unsafe setrlimit(resource, &limit) }
        return UInt64(limit.rlim_cur)
    }
}
