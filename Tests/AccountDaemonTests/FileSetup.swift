import Foundation
import Glibc

/// Makes what a store may find in its place.
enum FileSetup {
    // SAFETY, of all: a path lives for its call.

    static func makeDirectory(_ path: String, mode: UInt32 = 0o700) {
        unsafe mkdir(path, mode)
        unsafe chmod(path, mode)
    }

    static func makeFIFO(_ path: String) { unsafe mkfifo(path, 0o600) }

    static func makeLink(_ path: String, to target: String) { unsafe symlink(target, path) }

    static func move(_ path: String, to other: String) { unsafe rename(path, other) }

    static func setMode(_ path: String, _ mode: UInt32) { unsafe chmod(path, mode) }

    static func giveAway(_ path: String) { unsafe chown(path, foreigner, foreigner) }

    static func write(_ path: String, _ bytes: [UInt8], mode: UInt32 = 0o600) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        setMode(path, mode)
    }
}
