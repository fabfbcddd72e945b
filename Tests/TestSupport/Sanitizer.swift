import Glibc

/// The sanitizers of the compiler, which change where things stand in memory.
package enum Sanitizer {
    /// Whether the tests run under the address or the thread sanitizer.
    package static let isActive: Bool = {
        // SAFETY: both arguments are constants; the symbol's address is compared, not used.
        let runtime = unsafe dlopen(nil, RTLD_NOW)
        return unsafe dlsym(runtime, "__asan_init") != nil
            || dlsym(runtime, "__tsan_init") != nil
    }()
}
