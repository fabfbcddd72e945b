import Glibc
import LinuxSystem
import SecretMemory
import Varlink

/// A connection to a daemon that is known to be who it should be.
struct DaemonConnection: ~Copyable {
    /// How long connecting may take, in milliseconds.
    static let connectTimeout: Int64 = 5000

    /// Who may be at the other end.
    enum Trust {
        /// This user or root.
        case own
        /// The same and the system's daemon's user.
        case system
        /// The user has named the socket. Anyone to ask, but to be given a secret only this user,
        /// root, or the system's daemon's user.
        case named
    }

    private let socket: FileDescriptor
    /// The socket's path.
    let path: String
    private let timeout: Int64
    private var deadline: Int64 = 0

    private init(socket: consuming FileDescriptor, path: String, timeout: Int64) {
        self.socket = socket
        self.path = path
        self.timeout = timeout
    }

    /// Connects and looks at who is there.
    ///
    /// - Parameter timeout: seconds that each call may take, connecting too.
    /// - Returns: nil when nobody listens at the path.
    /// - Throws: `.notPermitted` for a server that must not be trusted, or a path that is closed to
    ///   this user; `.timedOut`, `.systemRefused`.
    static func open(
        _ path: String, _ trust: Trust, sendsSecret: Bool, timeout: Int64
    ) throws(CommandFailure) -> DaemonConnection? {
        let socket: FileDescriptor
        do {
            socket = try UnixSocket.connect(
                to: path, timeoutMilliseconds: min(connectTimeout, timeout * 1000))
        } catch {
            switch error {
            case .notFound, .connectionRefused, .notADirectory: return nil
            default: throw cannotConnect(path, error)
            }
        }
        let server: UInt32
        do {
            server = try PeerCredentials.of(fd: socket.rawValue).uid
        } catch { throw cannotConnect(path, error) }
        guard isTrusted(server, trust, sendsSecret) else {
            throw CommandFailure(
                .notPermitted, "\(path) is served by uid \(server), neither you nor root",
                hint: hint(trust, server))
        }
        return DaemonConnection(socket: socket, path: path, timeout: timeout)
    }

    /// A socket that was named is asked anything; it just gets no token.
    private static func hint(_ trust: Trust, _ server: UInt32) -> String {
        switch trust {
        case .own, .system: "name the daemon that you mean with --socket PATH or --system"
        case .named:
            "a token is sent to your own daemon, root's or the system's alone; uid \(server) may "
                + "log in there"
        }
    }

    private static func cannotConnect(_ path: String, _ error: Errno) -> CommandFailure {
        switch error {
        case .permissionDenied: mayNotConnect(path)
        case .timedOut:
            CommandFailure(
                .timedOut, "the daemon at \(path) accepts no connection",
                hint: "it may be stopped, or have more connections than it can take")
        default: .system("cannot connect to \(path)", error)
        }
    }

    private static func mayNotConnect(_ path: String) -> CommandFailure {
        if let directory = ownClosedDirectory(onTheWayTo: path) {
            return CommandFailure(
                .notPermitted, "your directory \(directory) does not let even you in",
                hint: "chmod 0700 \(ShellWord.quoted(directory))")
        }
        return CommandFailure(
            .notPermitted, "you may not connect to \(path)",
            hint: "its owner can let you, with the group given to accountd --readers")
    }

    /// The directory above a path beyond which this user cannot look, if it is theirs to open.
    private static func ownClosedDirectory(onTheWayTo path: String) -> String? {
        var place = path
        while true {
            let parent = Files.split(place).parent
            guard Files.isAbsolute(parent), parent != place else { return nil }
            place = parent
            guard let status = try? FileStatus.of(path: place, following: true) else { continue }
            let isOwn = status.kind == .directory && status.ownerUID == Users.currentUID
            return isOwn && status.permissions & 0o100 == 0 ? place : nil
        }
    }

    private static func isTrusted(_ server: UInt32, _ trust: Trust, _ sendsSecret: Bool) -> Bool {
        if server == 0 { return true }
        // The overflow uid stands for nobody in particular, not even for us.
        if server == Users.currentUID, server != Users.overflowID { return true }
        switch trust {
        case .own: return false
        case .named where !sendsSecret: return true
        case .named, .system:
            guard let uid = try? Users.userID(named: DaemonFinder.systemUser) else { return false }
            return uid == server
        }
    }

    /// Sends a call, or several, and starts the time that the answers may take. send(2)
    mutating func send(_ calls: borrowing SecretBuffer) throws(CommandFailure) {
        deadline = Clock.monotonicMilliseconds() + timeout * 1000
        try calls.withBytes { bytes throws(CommandFailure) in
            var sent = 0
            while sent < bytes.count {
                let count: Int?
                do throws(Errno) {
                    count = try UnixSocket.send(
                        fd: socket.rawValue, bytes.extracting(sent..<bytes.count))
                } catch {
                    // It may have said why before it closed: that is for the one who receives.
                    guard error == .brokenPipe || error == .connectionReset else {
                        throw .system("cannot send to \(path)", error)
                    }
                    return
                }
                if let count { sent += count } else { try wait(for: .writable) }
            }
        }
    }

    /// Receives one message. recv(2)
    ///
    /// - Parameters:
    ///   - buffer: gets what comes appended.
    ///   - start: where in it the message begins, after those that were received before.
    /// - Returns: where in it the message ends, without its terminator.
    mutating func receive(
        into buffer: inout SecretBuffer, from start: Int
    ) throws(CommandFailure) -> Int {
        var searched = start
        while true {
            let end = buffer.withBytes { MessageFraming.end(in: $0, from: searched) ?? -1 }
            if end >= 0 { return end }
            searched = buffer.count
            if buffer.count == buffer.capacity {
                do { try buffer.reserve(1) } catch { throw CommandFailure(error) }
            }
            try wait(for: .readable)
            var hasEnded = false
            do {
                _ = try buffer.appendUpTo(buffer.capacity - buffer.count) { room throws(Errno) in
                    guard let count = try UnixSocket.receive(fd: socket.rawValue, into: &room)
                    else { return 0 }
                    hasEnded = count == 0
                    return count
                }
            } catch {
                guard error == .connectionReset else {
                    throw .system("cannot receive from \(path)", error)
                }
                throw closed
            }
            if hasEnded { throw closed }
        }
    }

    private var closed: CommandFailure {
        CommandFailure(
            .noDaemon, "the daemon at \(path) closed the connection without an answer",
            hint: "it may be ending, or have as many connections as it takes: try again",
            isUnanswered: true)
    }

    private func wait(for events: PollEvents) throws(CommandFailure) {
        let left = max(0, deadline - Clock.monotonicMilliseconds())
        let ready: PollEvents
        do {
            ready = try Poll.wait(socket.rawValue, for: events, timeoutMilliseconds: left)
        } catch { throw .system("cannot wait for \(path)", error) }
        guard ready.rawValue != 0 else {
            throw CommandFailure(
                .timedOut, "the daemon at \(path) has not answered within \(timeout) s",
                hint: "give it more time with --timeout D")
        }
    }
}
