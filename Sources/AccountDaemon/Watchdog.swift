import LinuxSystem

/// Tells the service manager that the loop still turns. sd_watchdog_enabled(3)
struct Watchdog {
    private let interval: Int64?
    /// When it must be told next, in milliseconds of boot time.
    private(set) var deadline: Int64?

    init() {
        // Half of what it waits for, as it recommends.
        interval = ServiceManager.watchdogInterval.map { max(1, $0 / 2000) }
        deadline = interval == nil ? nil : 0
    }

    mutating func feed(at now: Int64) {
        guard let interval, let due = deadline, due <= now else { return }
        ServiceManager.notify("WATCHDOG=1")
        deadline = now + interval
    }
}
