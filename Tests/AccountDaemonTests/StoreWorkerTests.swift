import AccountService
import Foundation
import Glibc
import LinuxSystem
import SecretMemory
import TestSupport
import Testing

@testable import AccountDaemon

@Suite struct StoreWorkerTests {
    /// A worker, and the store that it works in.
    private final class Work {
        let folder: StoreFolder
        let worker: StoreWorker

        init() throws {
            folder = try StoreFolder()
            let root = folder.root + "/worked"
            let directory = try Directory.open(root, create: true)
            var lock = try FileLock(StoreFiles.lockName, in: directory)
            let isHeld = try lock.tryAcquire()
            try #require(isHeld == true)
            worker = try StoreWorker(
                StoreFiles(
                    path: root, keyFile: KeyFilePath(path: root + "/key", isDefault: false),
                    directory: directory, lock: lock))
        }

        var hasResult: Bool { worker.takeResult() != nil }

        func bytes(_ name: String) -> [UInt8]? {
            (try? Data(contentsOf: URL(fileURLWithPath: folder.root + "/worked/" + name)))
                .map(Array.init)
        }

        /// The result, waited for as the loop does.
        func result(of change: StoreChange) throws -> StoreResult {
            worker.submit(change)
            let ready = try Poll.wait(
                worker.pollDescriptor, for: .readable, timeoutMilliseconds: 10_000)
            try #require(ready.contains(.readable) == true)
            return try #require(worker.takeResult())
        }
    }

    @Test("changes are done one after the other, and each result is there once")
    func results() throws {
        let work = try Work()
        #expect(!work.hasResult)
        for number: UInt8 in 1...20 {
            guard case .done = try work.result(of: StoreFolder.save([number])) else {
                Issue.record("it was not done")
                return
            }
            #expect(work.bytes("account.plist.sealed") == [number])
            #expect(!work.hasResult)
            let ready = try Poll.wait(
                work.worker.pollDescriptor, for: .readable, timeoutMilliseconds: 0)
            #expect(ready.isEmpty)
        }
    }

    @Test("a failure is a result")
    func failure() throws {
        let work = try Work()
        try FileManager.default.createDirectory(
            atPath: work.folder.root + "/worked/account.plist.sealed",
            withIntermediateDirectories: false)
        guard case .failed(let failure) = try work.result(of: StoreFolder.save([1])) else {
            Issue.record("it did not fail")
            return
        }
        #expect(failure.errno == EISDIR)
    }

    @Test("secrets that are lent go back to the arena of whoever lent them, on its own thread")
    func loans() throws {
        let work = try Work()
        let arena = try SecretArena.forTest(capacity: 4096)
        do {
            let key = try SecretLoan.key(5, in: arena)
            let change = StoreFolder.save([1]) { $0.keyFile = key }
            guard case .done = try work.result(of: change) else {
                Issue.record("it was not done")
                return
            }
            // The worker has let go; what is left is this thread's.
            #expect(arena.used == 64)
        }
        #expect(arena.used == 0)
        #expect(work.bytes("key") == [UInt8](repeating: 5, count: 32))
        let keys = try StoreKeys(arena: arena)
        guard case .contents(let contents) = try work.result(of: .read(keys)) else {
            Issue.record("no contents")
            return
        }
        #expect(contents.account == .bytes([1]))
        #expect(keys.keyFile.finding == .read)
    }
}
