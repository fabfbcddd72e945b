import AccountCommands
import LinuxSystem

/// How far something is, shown on a terminal when it takes longer than a second.
struct Progress: ~Copyable {
    /// What is counted.
    enum Unit { case bytes, files }

    private static let delay: Int64 = 1000
    private static let interval: Int64 = 200

    private let context: CommandContext
    private let what: String
    private let unit: Unit
    // Nil where it is not known.
    private var total: Int64?
    private var done: Int64 = 0
    private var next: Int64
    private var isShown = false

    init(_ what: String, of total: Int64?, _ context: CommandContext, _ unit: Unit = .bytes) {
        self.what = ControlCharacters.escaped(what)
        self.total = total
        self.unit = unit
        self.context = context
        next = context.hasTerminal ? Clock.monotonicMilliseconds() + Self.delay : .max
    }

    // Whatever has ended it, nothing is to stand beside what is said next.
    deinit { if isShown { context.showProgress("\r\u{1B}[K") } }

    /// Counts some more.
    mutating func add(_ count: Int) {
        done += Int64(count)
        show()
    }

    /// So many are done, of how many.
    mutating func set(_ done: Int, of total: Int) {
        self.done = Int64(done)
        self.total = Int64(total)
        show()
    }

    private mutating func show() {
        guard next != .max else { return }
        let now = Clock.monotonicMilliseconds()
        guard now >= next else { return }
        next = now + Self.interval
        isShown = true
        context.showProgress("\r\(what): \(text)\u{1B}[K")
    }

    private var text: String {
        guard let total, total > 0 else { return amount(done) }
        return "\(amount(done)) of \(amount(total)), \(min(100, 100 * done / total)) %"
    }

    private func amount(_ count: Int64) -> String {
        switch unit {
        case .bytes: "\(count >> 20) MiB"
        case .files: "\(count)"
        }
    }
}
