import Glibc

/// The sanitizers of the compiler, which change where things stand in memory.
package enum Sanitizer {
    /// Whether the tests run under the address sanitizer, which finds leaks too.
    package static let findsAddresses = isLinked("__asan_init")
    /// Whether they run under the thread sanitizer.
    package static let findsRaces = isLinked("__tsan_init")
    /// Whether they run under one of the two.
    package static var isActive: Bool { findsAddresses || findsRaces }

    private static func isLinked(_ symbol: String) -> Bool {
        // SAFETY: the symbol's address is compared, not used.
        unsafe dlsym(dlopen(nil, RTLD_NOW), symbol) != nil
    }
}
