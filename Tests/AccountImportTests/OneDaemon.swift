import Foundation
import LinuxSystem

/// A server that answers each call of a method with a text of the test's.
final class OneDaemon: @unchecked Sendable {
    private let lock = NSLock()
    private var messages: [String] = []
    private let answers: [String: String]
    private let listener: FileDescriptor
    let socket: String

    /// What has been received.
    var received: [String] { lock.withLock { messages } }

    init(in directory: String, _ answers: [String: String]) throws {
        socket = directory + "/socket"
        self.answers = answers
        listener = try UnixSocket.listen(at: socket, mode: 0o600, replacingStale: false)
        Thread.detachNewThread { [weak self, number = listener.rawValue] in
            while (try? Poll.wait(number, for: .readable, timeoutMilliseconds: 5000)) != nil,
                let self, let connection = try? UnixSocket.accept(number)
            {
                self.serve(connection)
            }
        }
    }

    private func serve(_ connection: consuming FileDescriptor) {
        try? connection.setNonBlocking(false)
        var pending: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 65_536)
        while true {
            var span = room.mutableSpan
            guard let count = try? connection.read(into: &span), count > 0 else { return }
            pending += room[..<count]
            while let end = pending.firstIndex(of: 0) {
                let text = String(decoding: pending[..<end], as: UTF8.self)
                pending.removeFirst(end + 1)
                lock.withLock { messages.append(text) }
                let method = answers.keys.first { text.contains(".\($0)\"") } ?? ""
                let answer = answers[method] ?? #"{"error":"org.varlink.service.MethodNotFound"}"#
                try? connection.writeAll((Array(answer.utf8) + [0]).span)
            }
        }
    }
}
