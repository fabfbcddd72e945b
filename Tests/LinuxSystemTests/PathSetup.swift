import Glibc
import LinuxSystem

/// What tests do to the file system that the module itself never does.
enum PathSetup {
    static func makeDirectory(_ path: String, mode: UInt32 = 0o700) throws(Errno) {
        // SAFETY: here and below, the paths live for the call.
        try check(unsafe mkdir(path, mode))
        try changeMode(path, mode)
    }

    static func changeMode(_ path: String, _ mode: UInt32) throws(Errno) {
        try check(unsafe chmod(path, mode))
    }

    static func changeOwner(_ path: String, _ uid: UInt32) throws(Errno) {
        try check(unsafe lchown(path, uid, uid))
    }

    static func link(_ target: String, at path: String) throws(Errno) {
        try check(unsafe symlink(target, path))
    }

    static func makeFIFO(_ path: String, mode: UInt32 = 0o600) throws(Errno) {
        try check(unsafe mkfifo(path, mode))
    }

    static func move(_ path: String, to other: String) throws(Errno) {
        try check(unsafe rename(path, other))
    }

    static func enter(_ path: String) throws(Errno) { try check(unsafe chdir(path)) }

    private static func check(_ result: Int32) throws(Errno) {
        guard result == 0 else { throw .current }
    }
}

/// What a call throws; nil when it succeeds.
///
/// For calls whose value cannot be copied, which the
/// testing library's macros do not take.
func failure<R: ~Copyable, E: Error>(of call: () throws(E) -> R) -> E? {
    do throws(E) {
        _ = try call()
        return nil
    } catch { return error }
}
