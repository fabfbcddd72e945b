import AccountService
import LinuxSystem

/// Who asked what, how often, and what became of it: one record for each connection, method and
/// verdict, written when the connection closes, when it does something else, or each second.
///
/// Never a value. Under systemd the records go to the journal, by its native protocol; else to
/// standard error, if they were asked for. Writing never waits: what cannot be written is counted.
struct AccessRecords: ~Copyable {
    /// Bytes of a program's path that are recorded.
    private static let longestPath = 1024
    /// Milliseconds after which a record is written though the connection goes on.
    static let interval: Int64 = 1000

    /// What a connection did, counted.
    struct Entry {
        var method: Method?
        var verdict = Verdict.answered
        var count: UInt32 = 0
        var isListed = false
        var executable: String?
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

    /// Counts a call.
    mutating func note(
        _ method: Method?, _ verdict: Verdict, _ connection: Connection, at now: Int64
    ) {
        if connection.record.count > 0,
            connection.record.method != method || connection.record.verdict != verdict
        {
            write(connection)
        }
        if connection.record.executable == nil {
            connection.record.executable = Self.executable(of: connection.peer.pid)
        }
        connection.record.method = method
        connection.record.verdict = verdict
        connection.record.count &+= 1
        if !connection.record.isListed {
            connection.record.isListed = true
            listed.append(connection)
            if deadline == nil { deadline = now + Self.interval }
        }
    }

    /// Writes what a connection that closes has left.
    mutating func close(_ connection: Connection) {
        if isOn, connection.record.count > 0 { write(connection) }
    }

    /// Writes what is due.
    mutating func flush() {
        deadline = nil
        let due = listed
        listed.removeAll(keepingCapacity: true)
        for connection in due {
            connection.record.isListed = false
            if connection.record.count > 0 { write(connection) }
        }
        if dropped > 0 { reportDropped() }
    }

    private mutating func write(_ connection: Connection) {
        let record = connection.record
        connection.record.count = 0
        let peer = connection.peer
        let method = record.method.map { "\($0.name)" } ?? "unknown"
        let verdict = record.verdict.name
        let executable = record.executable ?? "?"
        let line =
            "access: uid=\(peer.uid) pid=\(peer.pid) exe=\(executable) method=\(method) "
            + "verdict=\(verdict) count=\(record.count)"
        var fields = Self.fields(line)
        fields.append("ACCOUNTD_UID", Int64(peer.uid))
        fields.append("ACCOUNTD_PID", Int64(peer.pid))
        fields.append("ACCOUNTD_EXE", executable)
        fields.append("ACCOUNTD_METHOD", method)
        fields.append("ACCOUNTD_VERDICT", verdict)
        fields.append("ACCOUNTD_COUNT", Int64(record.count))
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
