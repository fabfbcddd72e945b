import AccountService
import Foundation
import Glibc
import LinuxSystem
import SecretMemory
import TestSupport
import Testing

@testable import AccountDaemon

/// A store in a directory of its own, removed with it.
final class StoreFolder {
    /// The directory around the store and the key.
    let root: String
    var files: StoreFiles

    /// The store's directory.
    var path: String { root + "/state" }
    var keyPath: String { root + "/key" }

    init() throws {
        root = NSTemporaryDirectory() + "accountd-" + UUID().uuidString.prefix(8).lowercased()
        _ = try Directory.open(root, create: true)
        files = try Self.open(root)
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    private static func open(_ root: String) throws -> StoreFiles {
        let directory = try Directory.open(root + "/state", create: true)
        var lock = try FileLock(StoreFiles.lockName, in: directory)
        let isHeld = try lock.tryAcquire()
        try #require(isHeld == true)
        return StoreFiles(
            path: root + "/state", keyFile: KeyFilePath(path: root + "/key", isDefault: false),
            directory: directory, lock: lock, socket: root + "/socket")
    }

    func place(_ name: String) -> String { path + "/" + name }

    func write(_ name: String, _ bytes: [UInt8], mode: UInt32 = 0o600) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: place(name)))
        FileSetup.setMode(place(name), mode)
    }

    /// What a file holds; nil when there is none.
    func bytes(_ name: String) -> [UInt8]? {
        (try? Data(contentsOf: URL(fileURLWithPath: place(name)))).map(Array.init)
    }

    /// What stands in the directory, the lock left out.
    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
            .filter { $0 != StoreFiles.lockName && $0 != StorePaths.socketName }
    }

    /// Reads the store as a change does.
    func read() throws -> StoreContents {
        let keys = try StoreKeys(arena: SecretArena.forTest(capacity: 4096))
        guard case .contents(let contents) = files.perform(.read(keys)) else {
            throw Errno.invalidArgument
        }
        return contents
    }

    func mode(_ path: String) throws -> UInt32 {
        try FileStatus.of(path: path, following: false).permissions
    }

    /// The failure of a change; nil when it was done.
    func failure(of change: StoreChange) -> StoreFailure? {
        guard case .failed(let failure) = files.perform(change) else { return nil }
        return failure
    }

    /// A request to save an account.
    static func save(
        _ account: [UInt8], previous: [UInt8]? = nil,
        change: (inout SaveRequest) -> Void = { _ in }
    ) -> StoreChange {
        var request = SaveRequest(account: account, previous: previous, time: 1_700_000_000)
        change(&request)
        return .save(request)
    }
}

/// A user who owns nothing here.
let foreigner: UInt32 = 65_533

let isRoot = geteuid() == 0

extension SecretLoan {
    /// A key of equal bytes.
    static func key(_ byte: UInt8, in arena: SecretArena) throws -> SecretLoan {
        var bytes = try arena.allocate(KeyFileReading.size)
        bytes.withMutableBytes { bytes in
            for position in bytes.indices { bytes[position] = byte }
        }
        return SecretLoan(bytes)
    }
}
