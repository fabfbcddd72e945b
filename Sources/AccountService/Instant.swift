/// The two clocks that a decision may need, read once for each wake-up.
package struct Instant: Equatable, Sendable {
    /// CLOCK_REALTIME, whole seconds since 1970.
    package let realtime: Int64
    /// CLOCK_BOOTTIME, milliseconds; nobody sets it, and it goes on during a suspend.
    package let boottime: Int64

    /// Makes an instant.
    package init(realtime: Int64, boottime: Int64) {
        self.realtime = realtime
        self.boottime = boottime
    }
}
