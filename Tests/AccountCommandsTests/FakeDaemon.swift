import Foundation
import LinuxSystem

/// A server that answers each message with a text that the test has chosen.
final class FakeDaemon: @unchecked Sendable {
    private let directory: TemporaryDirectory
    private let lock = NSLock()
    private var messages: [String] = []
    private var answers: [String: String]
    private let opened: [String: String]
    private let listener: FileDescriptor

    var socket: String { directory.path + "/socket" }

    /// What an Unlock has to hold; nil where anything opens the store.
    let rightPassphrase: String?

    /// What has been received, without terminators.
    var received: [String] { lock.withLock { messages } }

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - answers: by the method's last name: the reply; "" closes the connection, and a
    ///     method that is not among them is never answered.
    ///   - opened: what takes their place once an Unlock was answered without an error.
    init(
        _ answers: [String: String], opened: [String: String] = [:],
        rightPassphrase: String? = nil
    ) throws {
        self.rightPassphrase = rightPassphrase
        directory = try TemporaryDirectory()
        self.opened = opened
        self.answers = answers
        listener = try UnixSocket.listen(
            at: directory.path + "/socket", mode: 0o600, replacingStale: false)
        Thread.detachNewThread { [weak self, number = listener.rawValue] in
            while true {
                guard (try? Poll.wait(number, for: .readable, timeoutMilliseconds: 5000)) != nil,
                    let self, let connection = try? UnixSocket.accept(number)
                else { return }
                let descriptor = connection.release()
                Thread.detachNewThread { self.serve(descriptor) }
            }
        }
    }

    private func serve(_ number: Int32) {
        let connection = FileDescriptor(owning: number)
        try? connection.setNonBlocking(false)
        var pending: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 65_536)
        while true {
            var span = room.mutableSpan
            guard let count = try? Files.read(number, into: &span), count > 0 else { return }
            pending += room[..<count]
            while let end = pending.firstIndex(of: 0) {
                let text = String(decoding: pending[..<end], as: UTF8.self)
                pending.removeFirst(end + 1)
                lock.withLock { messages.append(text) }
                guard let answer = answer(to: text) else { continue }
                if answer.isEmpty { return }
                try? Files.writeAll(number, (Array(answer.utf8) + [0]).span)
            }
        }
    }

    private func answer(to text: String) -> String? {
        let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        let method = object?["method"] as? String ?? ""
        let name = String(method.split(separator: ".").last ?? "")
        return lock.withLock {
            let answer = answers[name]
            let isRight = rightPassphrase.map { text.contains("\"\($0)\"") } ?? true
            if name == "Unlock", !isRight {
                return
                    #"{"error":"org.accountd.Account.WrongKey","parameters":{"retry_after_ms":1}}"#
            }
            if name == "Unlock", answer == Self.nothing {
                answers.merge(opened) { _, other in other }
            }
            return answer
        }
    }
}

extension FakeDaemon {
    static let account = """
        {"uid":"9900001001","screen_name":"Zoë","expires_in":604800,"issued_at":1767225600,\
        "expires_at":1767830400,"expires_date":"2026-01-08T00:00:00Z","expired":false,\
        "remaining":86400}
        """

    static let status = """
        {"state":"present","version":"0.1.0","protection":["keyfile"],"memory":"memfd_secret",\
        "locked_bytes":1048576,"clock":"steady","connections":2,"role":"owner"}
        """

    static let nothing = #"{"parameters":{}}"#
    static let isLocked = #"{"error":"org.accountd.Account.Locked"}"#

    /// A status with some words in the place of others.
    static func status(_ state: String, _ protection: [String], role: String = "owner") -> String {
        let kinds = protection.map { "\"\($0)\"" }.joined(separator: ",")
        let status = Self.status.replacingOccurrences(of: "present", with: state)
            .replacingOccurrences(of: #"["keyfile"]"#, with: "[\(kinds)]")
            .replacingOccurrences(of: #""role":"owner""#, with: #""role":"\#(role)""#)
        return #"{"parameters":{"status":\#(status)}}"#
    }

    /// A daemon with a locked store, until the right passphrase comes.
    static func locked(
        _ protection: [String] = ["passphrase"], role: String = "owner",
        rightPassphrase: String? = nil
    ) throws -> FakeDaemon {
        try FakeDaemon(
            [
                "GetStatus": status("locked", protection, role: role), "GetToken": isLocked,
                "CheckExpiry": isLocked, "GetAccount": isLocked, "Login": isLocked,
                "Logout": isLocked, "RemoveSlot": isLocked, "Rotate": isLocked,
                "AddSlot": isLocked, "Unlock": nothing,
            ], opened: present(but: keys), rightPassphrase: rightPassphrase)
    }

    static let slot =
        #"{"id":"00112233445566ff","kind":"passphrase","created":1767225600,"created_date":"2026-01-01T00:00:00Z"}"#
    static let code = "0123-4567-89AB-CDEF-GHJK-MNPQ-RSTV-WXYZ-0000"

    /// Answers of a daemon whose slots are asked for and changed.
    static let keys = [
        "Lock": nothing, "Unlock": nothing,
        "ListSlots": #"{"parameters":{"slots":[\#(slot)],"key_id":"00ff","retired":["01"]}}"#,
        "AddSlot": #"{"parameters":{"slot":\#(slot),"removed":[]}}"#,
        "RemoveSlot": #"{"parameters":{"removed":\#(slot)}}"#,
        "Rotate": #"{"parameters":{"key_id":"00ff","retired":[]}}"#,
        "NewRecoveryCode": #"{"parameters":{"recovery_code":"\#(code)"}}"#,
    ]

    /// Answers as a daemon does that holds an account.
    static let present = [
        "GetToken":
            #"{"parameters":{"access_token":"2.00abc","uid":"9900001001","expires_at":1767830400}}"#,
        "CheckExpiry":
            #"{"parameters":{"valid":true,"expires_at":1767830400,"remaining":86400}}"#,
        "GetAccount": #"{"parameters":{"account":\#(account)}}"#,
        "GetStatus": #"{"parameters":{"status":\#(status)}}"#,
        "Login": #"{"parameters":{"account":\#(account)}}"#,
        "Logout": #"{"parameters":{"uid":"9900001001"}}"#,
        "Verify": #"{"parameters":{"findings":[]}}"#,
        "Repair": #"{"parameters":{"account":\#(account)}}"#,
    ]

    /// The same, but for some methods.
    static func present(but others: [String: String]) -> [String: String] {
        present.merging(others) { _, other in other }
    }
}
