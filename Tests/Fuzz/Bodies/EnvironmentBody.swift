package import SecretMemory

@testable import AccountDaemon
@testable import LinuxSystem

/// What the environment says to a service, and paths: sd_listen_fds(3), sd_notify(3),
/// sd_watchdog_enabled(3), systemd.exec(5).
///
/// The values are passed in, each in a line of its own: the environment is the whole process's.
package final class EnvironmentBody: FuzzBody {
    package static let name = "environment"
    package static let maximumSize = 512

    package let arena: SecretArena

    package init() throws { arena = try SecretArena(capacity: 4096, preferring: .lockedPages) }

    package func run(_ input: Span<UInt8>) throws {
        let values = input.array.split(separator: UInt8(ascii: "\n"), maxSplits: 3)
            .map { String(decoding: $0, as: UTF8.self) }
        let first = values.first
        let second = values.dropFirst().first
        try visitListeners(first, second, values.dropFirst(2).first)
        let interval = ServiceManager.watchdogInterval(microseconds: first, pid: second, own: 77)
        if let interval {
            try require(interval > 0, "no time to answer in")
            try require(second == nil || Int(second ?? "") == 77, "another process is watched")
        }
        let whole = String(decoding: input.array, as: UTF8.self)
        try visitStream(whole)
        try visitAddress(whole)
        try visitPath(whole)
        if TemporaryName.matches(whole) {
            try require(
                whole.utf8.allSatisfy { $0 != 0x2F && $0 > 0x20 }, "a temporary name of more parts")
        }
    }

    private func visitListeners(_ pid: String?, _ count: String?, _ names: String?) throws {
        let listeners = ServiceManager.listenerNames(
            pid: pid, count: count, names: names, own: 77)
        guard !listeners.isEmpty else { return }
        try require(pid.flatMap(Self.digits) == 77, "descriptors of another process")
        try require(
            count.flatMap(Self.digits) == listeners.count && listeners.count <= 256,
            "another number of descriptors")
        let joined = listeners.joined(separator: ":")
        try require(!listeners.contains(""), "a descriptor without a name")
        try require(
            ServiceManager.listenerNames(pid: pid, count: count, names: joined, own: 77)
                == listeners, "names are read otherwise")
    }

    // Nil unless it is digits alone.
    private static func digits(_ text: String) -> Int? {
        text.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int(text) : nil
    }

    private func visitStream(_ text: String) throws {
        guard let stream = ServiceManager.stream(named: text) else { return }
        let again = ServiceManager.stream(named: "\(stream.device):\(stream.inode)")
        try require(again?.device == stream.device && again?.inode == stream.inode, "a stream")
        try require(text.utf8.allSatisfy { 0x30...0x3A ~= $0 }, "a stream's number has a sign")
    }

    private func visitAddress(_ text: String) throws {
        if let address = ServiceManager.address(named: text) {
            try require(text.utf8.count <= SocketAddress.longestPath + 1, "an address too long")
            // The family's two bytes, and the name with its NUL before or behind.
            let isPath = text.utf8.first == UInt8(ascii: "/")
            try require(
                Int(address.length) == 2 + text.utf8.count + (isPath ? 1 : 0), "an address's length"
            )
        }
        if let address = SocketAddress(path: text) {
            try require(!text.utf8.contains(0), "a path with a NUL in it")
            try require(Int(address.length) == 3 + text.utf8.count, "an address's length")
        }
    }

    private func visitPath(_ path: String) throws {
        guard !path.isEmpty else { return }
        let trimmed = Files.withoutTrailingSlashes(path)
        try require(
            Files.withoutTrailingSlashes(trimmed) == trimmed, "slashes are left: \(trimmed)")
        let (parent, name) = Files.split(path)
        try require(!parent.isEmpty && !name.isEmpty, "a part of a path is empty")
        try require(!name.utf8.contains(UInt8(ascii: "/")), "a name of more parts")
        try require(
            (parent.utf8.first == UInt8(ascii: "/")) == (path.utf8.first == UInt8(ascii: "/")),
            "a path from elsewhere")
        let again = Files.split("\(parent)/\(name)")
        try require(
            again.name == name && Files.withoutTrailingSlashes(again.parent) == parent,
            "a path is put together otherwise")
    }
}
