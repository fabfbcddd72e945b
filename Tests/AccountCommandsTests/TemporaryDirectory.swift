import Foundation

/// A directory of a test's own, removed with what is in it.
final class TemporaryDirectory {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "account-test-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Makes a file, last changed at a time if one is given.
    func file(_ name: String, _ text: String, changedAt: Date? = nil) throws -> String {
        let file = path + "/" + name
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        if let changedAt {
            try FileManager.default.setAttributes(
                [.modificationDate: changedAt], ofItemAtPath: file)
        }
        return file
    }
}
