import AccountCommands
import LinuxSystem

/// How far something is, shown on a terminal when it takes longer than a second.
struct Progress {
    private static let delay: Int64 = 1000
    private static let interval: Int64 = 200

    private let context: CommandContext
    private let what: String
    // Bytes, or whatever is counted; nil where it is not known.
    private let total: Int64?
    private var done: Int64 = 0
    private var next: Int64
    private var isShown = false

    init(_ what: String, of total: Int64?, _ context: CommandContext) {
        self.what = what
        self.total = total
        self.context = context
        next = context.hasTerminal ? Clock.monotonicMilliseconds() + Self.delay : .max
    }

    /// Counts some more.
    mutating func add(_ count: Int) {
        done += Int64(count)
        guard next != .max else { return }
        let now = Clock.monotonicMilliseconds()
        guard now >= next else { return }
        next = now + Self.interval
        isShown = true
        context.showProgress("\r\(what): \(text)\u{1B}[K")
    }

    private var text: String {
        let shown = "\(done >> 20) MiB"
        guard let total, total > 0 else { return shown }
        return "\(shown) of \(total >> 20) MiB, \(min(100, 100 * done / total)) %"
    }

    /// Takes it away.
    func end() {
        if isShown { context.showProgress("\r\u{1B}[K") }
    }
}
