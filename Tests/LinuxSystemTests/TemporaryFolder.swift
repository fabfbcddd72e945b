import Foundation
import Glibc
import LinuxSystem

/// A private directory with a short path for one test, removed with it.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        var name = "/tmp/linux-"
        for _ in 0..<8 { name.append("abcdefghijklmnopqrstuvwxyz".randomElement() ?? "x") }
        path = name
        _ = try LinuxSystem.Directory.open(path, create: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func callAsFunction(_ name: String) -> String { path + "/" + name }

    func open() throws -> LinuxSystem.Directory {
        try LinuxSystem.Directory.open(path, create: false)
    }

    func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: self(name)))
    }

    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    func text(_ name: String) throws -> String {
        String(decoding: try Files.readWhole(self(name), limit: 1 << 20), as: UTF8.self)
    }
}

/// Makes every descriptor's number this thread's to choose, in a process that a test has for itself.
///
/// Its other threads are the testing library's and Dispatch's, which have taken low numbers before
/// and close them when they come to it: what was put there meanwhile would be gone.
func takeNumbers() throws { try WorkerThread.ownDescriptors(without: nil) }

/// Whether the tests run as root, who alone can act for a second user.
let isRoot = geteuid() == 0

/// Whether a test can run a program.
func isProgram(_ path: String) -> Bool {
    // SAFETY: the path lives for the call.
    unsafe access(path, X_OK) == 0
}

/// A user who owns nothing here.
let stranger: UInt32 = 65_533

/// Becomes the stranger, for good: only in a process of its own.
func becomeStranger() {
    precondition(setgroups(0, nil) == 0)
    precondition(setgid(stranger) == 0)
    precondition(setuid(stranger) == 0)
}
