import AccountService
import LinuxSystem

/// Who asked what, how often, and what became of it: one record for each connection, method and
/// verdict, written when the connection closes, or each second: however a client mixes its calls, it
/// cannot have more written than that.
///
/// Never a value. Under systemd the records go to the journal, by its native protocol; else to
/// standard error, if they were asked for. Writing never waits: what cannot be written is counted.
struct AccessRecords: ~Copyable {
    /// Bytes of a program's path that are recorded.
    private static let longestPath = 1024
    /// Milliseconds after which a record is written though the connection goes on.
    static let interval: Int64 = 1000

    /// One thing that a connection did, counted.
    struct Entry {
        let method: Method?
        let verdict: Verdict
        var count: UInt32
    }

    /// All that a connection did since its last records; made at its first call.
    final class Tally {
        let executable: String
        var entries: [Entry] = []
        var isListed = false

        init(executable: String) { self.executable = executable }

        func count(_ method: Method?, _ verdict: Verdict) {
            for position in entries.indices
            where entries[position].method == method && entries[position].verdict == verdict {
                entries[position].count &+= 1
                return
            }
            entries.append(Entry(method: method, verdict: verdict, count: 1))
        }
    }

    private let usesStandardError: Bool
    private var journal: JournalSocket?
    private var listed: [Connection] = []
    private var dropped = 0
    /// When the listed ones are due, in milliseconds of boot time.
    private(set) var deadline: Int64?

    let isOn: Bool

    /// Keeps no records.
    init() {
        isOn = false
        usesStandardError = false
    }

    /// Writes them to standard error.
    init(standardError: Void) {
        isOn = true
        usesStandardError = true
    }

    /// Sends them to the journal.
    init(journal: consuming JournalSocket) {
        isOn = true
        usesStandardError = false
        self.journal = consume journal
    }

    /// Looks which program is at the other end, while it is there.
    @discardableResult
    func meet(_ connection: Connection) -> Tally {
        let tally =
            connection.tally ?? Tally(executable: Self.executable(of: connection.peer.pid))
        connection.tally = tally
        return tally
    }

    /// Counts a call.
    mutating func note(
        _ method: Method?, _ verdict: Verdict, _ connection: Connection, at now: Int64
    ) {
        let tally = meet(connection)
        tally.count(method, verdict)
        guard !tally.isListed else { return }
        tally.isListed = true
        listed.append(connection)
        if deadline == nil { deadline = now + Self.interval }
    }

    /// Writes what a connection that closes has left.
    mutating func close(_ connection: Connection) {
        if let tally = connection.tally { write(tally, connection.peer) }
    }

    /// Writes what is due.
    mutating func flush() {
        deadline = nil
        let due = listed
        listed.removeAll(keepingCapacity: true)
        for connection in due {
            guard let tally = connection.tally else { continue }
            tally.isListed = false
            write(tally, connection.peer)
        }
        if dropped > 0 { reportDropped() }
    }

    private mutating func write(_ tally: Tally, _ peer: PeerCredentials) {
        for entry in tally.entries { write(entry, tally.executable, peer) }
        tally.entries.removeAll()
    }

    private mutating func write(
        _ entry: Entry, _ executable: String, _ peer: PeerCredentials
    ) {
        let method = entry.method.map { "\($0.name)" } ?? "unknown"
        let verdict = entry.verdict.name
        let line =
            "access: uid=\(peer.uid) pid=\(peer.pid) exe=\(executable) method=\(method) "
            + "verdict=\(verdict) count=\(entry.count)"
        var fields = Self.fields(line)
        fields.append("ACCOUNTD_UID", Int64(peer.uid))
        fields.append("ACCOUNTD_PID", Int64(peer.pid))
        fields.append("ACCOUNTD_EXE", executable)
        fields.append("ACCOUNTD_METHOD", method)
        fields.append("ACCOUNTD_VERDICT", verdict)
        fields.append("ACCOUNTD_COUNT", Int64(entry.count))
        if !put(line, fields) { dropped += 1 }
    }

    /// Says how many records are missing.
    private mutating func reportDropped() {
        let line = "access: \(dropped) records could not be written"
        if put(line, Self.fields(line)) { dropped = 0 }
    }

    private static func fields(_ line: String) -> JournalRecord {
        var fields = JournalRecord()
        fields.append("MESSAGE", line)
        fields.append("PRIORITY", 6)
        fields.append("SYSLOG_IDENTIFIER", "accountd")
        return fields
    }

    private mutating func put(_ line: String, _ fields: JournalRecord) -> Bool {
        guard usesStandardError else { return journal?.send(fields) ?? false }
        return Log.note(line)
    }

    /// The program at the other end, where it can be told: a daemon that is not root cannot read
    /// another user's link, only the name. proc(5)
    private static func executable(of pid: Int32) -> String {
        if let path = try? Files.readLink("/proc/\(pid)/exe") { return escaped(path) }
        if let name = try? Files.readWhole("/proc/\(pid)/comm", limit: 64) {
            return escaped(String(decoding: name, as: UTF8.self))
        }
        return "?"
    }

    // A program may be called anything: a record stays one line of plain words.
    private static func escaped(_ text: String) -> String {
        var out = ""
        for byte in text.utf8.prefix(longestPath) where byte != UInt8(ascii: "\n") {
            let isPlain = byte > 0x20 && byte < 0x7F
            out.unicodeScalars.append(isPlain ? Unicode.Scalar(byte) : "?")
        }
        return out
    }
}
