import AccountService
import Glibc
import LinuxSystem
import SecretMemory

/// The loop: one thread, one poller, every connection.
///
/// It moves bytes; what they mean is decided by `AccountService`, and what waits for a disk is done
/// by `StoreWorker`.
struct Server: ~Copyable {
    /// Bytes of the owner's longest message. docs/PROTOCOL.md, "Limits"
    static let maximumMessage = 65_536
    /// Bytes of anybody else's.
    static let maximumForeignMessage = 4096
    /// Bytes of a stranger's first call.
    static let maximumStrangerMessage = 1024
    /// Bytes of the longest reply: two tokens whose every byte is escaped, names likewise.
    static let maximumReply = 65_536
    /// Bytes of secret memory that half-sent messages and unread replies leave to the service; a
    /// quarter where there is less.
    static let reservedForService = 256 * 1024
    /// Milliseconds.
    static let halfSentPatience: Int64 = 30_000
    static let unreadPatience: Int64 = 30_000
    static let strangerPatience: Int64 = 1000

    // Tokens of descriptors that are no connections: a connection's has a generation above zero.
    enum Token {
        static let listener: UInt64 = 0
        static let signals: UInt64 = 1
        static let worker: UInt64 = 2
        static let socketFile: UInt64 = 3
        static let lockTimer: UInt64 = 4
    }

    let arena: SecretArena
    let listener: Listener
    var policy: AccessPolicy
    let groups: GroupNames
    let worker: StoreWorker
    var poller: Poller
    var signals: SignalDescriptor
    var service: AccountService
    var connections: ConnectionTable
    var records: AccessRecords
    let ownerBudget: SecretBudget

    var halfSent = ConnectionQueue(.halfSent, patience: Server.halfSentPatience)
    var unread = ConnectionQueue(.unread, patience: Server.unreadPatience)
    var strangers = ConnectionQueue(.stranger, patience: Server.strangerPatience)

    /// What was received last; wiped before the next wait.
    var room: SecretBytes
    var reply: SecretBuffer

    /// The change in hand, kept until its result is there, and the connection that asked for it,
    /// which may be closed by then.
    var change: StoreChange?
    var asker: Connection?
    /// Connections whose next call must wait for the change in hand.
    var waiting: [Connection] = []
    /// Connections whose answer, or next call, waits for a time: see `HeldBack`.
    var heldBack: [HeldBack] = []
    /// Whether the store is locked by time; asked at each wake-up, so it costs no more than this.
    let locksByTime: Bool
    /// Goes off when the store is to be locked, and wakes up with the machine; absent where no time
    /// is set.
    var lockTimer: TimerDescriptor?
    /// What it is set to, in milliseconds of boot time.
    var lockTimerTime: Int64?

    /// Given up to refuse a connection when descriptors have run out.
    var spare: FileDescriptor?
    /// When connections are accepted again, in milliseconds; nil while they are.
    var acceptsAgainAt: Int64?
    /// The clocks, read once for each wake-up.
    ///
    /// Deadlines are in milliseconds of boot time.
    var now = Instant(realtime: 0, boottime: 0)
    var watchdog: Watchdog
    var isEnding = false
    var exitStatus: Int32 = 0

    init(
        arena: SecretArena, listener: Listener, policy: AccessPolicy, groups: GroupNames,
        worker: StoreWorker, signals: consuming SignalDescriptor,
        service: consuming AccountService, records: consuming AccessRecords,
        maximumConnections: Int = ConnectionTable.maximum
    ) throws(StartError) {
        let received = try Self.makeRoom(arena)
        let written = try Self.makeReply(arena)
        let polled = try Self.makePoller(listener, signals.rawValue, worker)
        self.arena = arena
        self.listener = listener
        self.policy = policy
        self.groups = groups
        self.worker = worker
        self.signals = signals
        locksByTime = service.locksByTime
        self.service = service
        self.records = records
        // The owner's, the foreigners' and the service's parts are all of the arena and no more.
        let foreign = min(ConnectionTable.foreignBudget, arena.capacity / 8)
        let own = min(Self.reservedForService, arena.capacity / 4)
        connections = ConnectionTable(maximum: maximumConnections, foreignBudget: foreign)
        ownerBudget = SecretBudget(limit: arena.capacity - foreign - own)
        watchdog = Watchdog()
        room = received
        reply = written
        poller = polled
        spare = try? Files.open("/dev/null", .readOnly)
    }

    private static func makeRoom(_ arena: SecretArena) throws(StartError) -> SecretBytes {
        do throws(SecretMemoryError) {
            return try arena.allocate(maximumMessage)
        } catch { throw .memory(error) }
    }

    private static func makeReply(_ arena: SecretArena) throws(StartError) -> SecretBuffer {
        do throws(SecretMemoryError) {
            return try SecretBuffer(arena: arena, capacity: replyCapacity, limit: maximumReply)
        } catch { throw .memory(error) }
    }

    private static func makePoller(
        _ listener: Listener, _ signals: Int32, _ worker: StoreWorker
    ) throws(StartError) -> Poller {
        do throws(Errno) {
            let poller = try Poller()
            try poller.add(fd: listener.fd, events: .readable, token: Token.listener)
            try poller.add(fd: signals, events: .readable, token: Token.signals)
            try poller.add(fd: worker.pollDescriptor, events: .readable, token: Token.worker)
            if let watched = listener.watchDescriptor {
                try poller.add(fd: watched, events: .readable, token: Token.socketFile)
            }
            if let mounts = listener.mountsDescriptor {
                try poller.add(fd: mounts, events: .changed, token: Token.socketFile)
            }
            return poller
        } catch { throw .system("the loop cannot be set up", error) }
    }

    /// Serves until a signal ends it.
    mutating func run() throws(StartError) -> Int32 {
        readClocks()
        if locksByTime { try makeLockTimer() }
        while !isEnding || change != nil { try turn(timeout()) }
        // What the last one asked is recorded when it is closed.
        for connection in connections.all() { close(connection) }
        return exitStatus
    }

    /// Waits once, and does all that is to be done then.
    ///
    /// - Parameter timeout: milliseconds; -1: until something happens.
    mutating func turn(_ timeout: Int32) throws(StartError) {
        let count: Int
        do throws(Errno) {
            count = try poller.wait(timeoutMilliseconds: timeout)
        } catch { throw .system("the loop cannot wait", error) }
        readClocks()
        if locksByTime { service.lockIfDue(at: now) }
        for position in 0..<count {
            let event = poller.event(at: position)
            handle(event.token, event.events)
        }
        meetDeadlines()
    }

    /// The time that deadlines are held against.
    var milliseconds: Int64 { now.boottime }

    private mutating func handle(_ token: UInt64, _ events: PollEvents) {
        switch token {
        case Token.listener: if !isEnding { acceptConnection() }
        case Token.signals: takeSignals()
        case Token.worker: takeResult()
        case Token.socketFile: checkSocketFile()
        case Token.lockTimer: rearmLockTimer()
        default:
            if events == .readable, !records.isOn, let fd = connections.idleDescriptor(token) {
                receivePlain(fd, token)
                return
            }
            guard let connection = connections.find(token) else { return }
            if events.contains(.writable) { sendRest(connection) }
            if connection.isClosed { return }
            if events.contains(.readable) {
                receive(connection)
            } else if !events.isDisjoint(with: [.hangup, .error]) {
                // Nobody is left to read a reply.
                close(connection)
            }
        }
    }

    private mutating func readClocks() {
        now = Self.readInstant()
    }

    static func readInstant() -> Instant {
        Instant(realtime: Clock.realtimeSeconds(), boottime: Clock.boottimeMilliseconds())
    }

    /// Milliseconds until something must happen by itself; -1: nothing must.
    private func timeout() -> Int32 {
        var next = Int64.max
        if let deadline = halfSent.deadline { next = min(next, deadline) }
        if let deadline = unread.deadline { next = min(next, deadline) }
        if let deadline = strangers.deadline { next = min(next, deadline) }
        if let deadline = records.deadline { next = min(next, deadline) }
        if let deadline = watchdog.deadline { next = min(next, deadline) }
        if let acceptsAgainAt { next = min(next, acceptsAgainAt) }
        for held in heldBack { next = min(next, held.time) }
        guard next != .max else { return -1 }
        return Int32(min(max(0, next - milliseconds), 60_000))
    }

    /// Closes what has lasted too long, and does what is due.
    mutating func meetDeadlines() {
        while let late = halfSent.first, late.deadline <= milliseconds {
            note(nil, .timedOut, late)
            close(late)
        }
        while let late = unread.first, late.deadline <= milliseconds {
            note(nil, .timedOut, late)
            close(late)
        }
        while let late = strangers.first, late.deadline <= milliseconds {
            note(nil, .denied, late)
            close(late)
        }
        if let deadline = records.deadline, deadline <= milliseconds { records.flush() }
        if let acceptsAgainAt, acceptsAgainAt <= milliseconds { resumeAccepting() }
        if !heldBack.isEmpty { releaseHeldBack() }
        if locksByTime { setLockTimer() }
        watchdog.feed(at: milliseconds)
    }

    private mutating func takeSignals() {
        while let signal = (try? signals.next()) ?? nil {
            switch signal {
            case SIGHUP: resolveGroups()
            case SIGUSR1: lockBySignal()
            case SIGTERM, SIGINT:
                ServiceManager.notify("STOPPING=1")
                beginEnding()
            default: break
            }
        }
    }

    /// Takes no more calls: whoever asked for the change in hand gets the answer, and nobody begins
    /// another one, who could put the end off for ever.
    private mutating func beginEnding() {
        guard !isEnding else { return }
        isEnding = true
        if change != nil { Log.note("told to end; that waits for a change that is being written") }
        waiting.removeAll()
        heldBack.removeAll()
        acceptsAgainAt = nil
        try? poller.remove(fd: listener.fd)
        for connection in connections.all() where connection !== asker { close(connection) }
    }

    private mutating func resolveGroups() {
        do throws(StartError) {
            policy = try groups.policy()
            Log.note("the groups were resolved again")
        } catch {
            Log.note("\(error.message); the groups stay as they were")
        }
    }

    private mutating func checkSocketFile() {
        listener.drainWatch()
        guard !isEnding, !listener.isInPlace else { return }
        Log.note("the socket \(listener.path) was taken away; ending, so that another can be made")
        exitStatus = 1
        beginEnding()
    }

    mutating func note(_ method: Method?, _ verdict: Verdict, _ connection: Connection) {
        if records.isOn { records.note(method, verdict, connection, at: milliseconds) }
    }

    /// Ends a connection and wipes what is in hand of it.
    mutating func close(_ connection: Connection) {
        guard !connection.isClosed else { return }
        leaveQueue(connection)
        records.close(connection)
        connections.remove(connection)
    }

    mutating func leaveQueue(_ connection: Connection) {
        switch connection.limit {
        case .none: break
        case .halfSent: halfSent.remove(connection)
        case .unread: unread.remove(connection)
        case .stranger: strangers.remove(connection)
        }
    }

    /// Has the poller wait for something else of a connection.
    mutating func waitFor(_ events: PollEvents, _ connection: Connection) {
        if events != .readable { connections.setIdle(connection, false) }
        guard !connection.isClosed, connection.interest != events else { return }
        do throws(Errno) {
            try poller.modify(
                fd: connection.fd, events: events, token: ConnectionTable.token(of: connection))
            connection.interest = events
        } catch { close(connection) }
    }
}
