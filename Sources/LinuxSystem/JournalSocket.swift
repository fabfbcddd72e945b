import Glibc

/// The way to the journal that keeps fields apart, without ever waiting for it. systemd's "Native
/// Journal Protocol"
package struct JournalSocket: ~Copyable {
    /// Where journald listens.
    package static let defaultPath = "/run/systemd/journal/socket"

    private let descriptor: FileDescriptor
    // By address each time: a connection would not outlive a restart of journald.
    private let address: SocketAddress
    /// Records that could not be sent.
    package private(set) var dropped: UInt64 = 0

    /// Makes an unconnected socket; whether anybody listens shows with each record.
    package init(path: String = defaultPath) throws(Errno) {
        guard let address = SocketAddress(path: path) else { throw .nameTooLong }
        let descriptor = try UnixSocket.make(SOCK_DGRAM, nonBlocking: true)
        self.address = address
        self.descriptor = descriptor
    }

    /// Sends a record, or counts it as dropped.
    ///
    /// - Returns: whether it was sent.
    @discardableResult
    package mutating func send(_ record: JournalRecord) -> Bool {
        let sent = address.send(record.bytes.span, from: descriptor.rawValue)
        if !sent { dropped += 1 }
        return sent
    }

    /// The number of dropped records, which begins anew at 0.
    package mutating func takeDropped() -> UInt64 {
        defer { dropped = 0 }
        return dropped
    }
}
