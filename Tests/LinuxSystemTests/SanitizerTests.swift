import Glibc
import LinuxSystem
import TestSupport
import Testing

/// What `scripts/sanitize` looks for is found, or that it finds nothing says nothing.
///
/// Each fault has a process of its own, which the sanitizer ends.
@Suite(.enabled(if: Sanitizer.isActive, "runs under scripts/sanitize"))
struct SanitizerTests {
    @Test(
        "memory that is read after it was given back is found",
        .enabled(if: Sanitizer.findsAddresses))
    func useAfterFree() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let number = UnsafeMutablePointer<Int>.allocate(capacity: 1)
            unsafe number.initialize(to: 1)
            unsafe number.deallocate()
            // SAFETY: none: this is the fault.
            exit(unsafe number.pointee == 1 ? 0 : 0)
        }
        #expect(said(result).contains("AddressSanitizer: heap-use-after-free"))
    }

    @Test(
        "memory that nobody gives back is found",
        .enabled(if: Sanitizer.findsAddresses))
    func leak() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            // More than one, since the last one's address may stand in a register still.
            for _ in 0..<50 { lose() }
            exit(0)
        }
        #expect(said(result).contains("LeakSanitizer: detected memory leaks"))
    }

    @Test(
        "memory that two threads write without an order is found",
        .enabled(if: Sanitizer.findsRaces))
    func race() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let shared = Shared()
            try WorkerThread.start(name: "racer") { shared.number += 1 }
            shared.number += 1
            for _ in 0..<1000 where shared.number < 2 { usleep(10_000) }
            exit(0)
        }
        // A "data race", or a "Swift access race".
        #expect(said(result).contains(" race (pid="))
    }
}

private func said(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
}

private final class Shared: @unchecked Sendable { var number = 0 }

@inline(never) private func lose() {
    unsafe UnsafeMutablePointer<Int>.allocate(capacity: 10).initialize(repeating: 1, count: 10)
}
