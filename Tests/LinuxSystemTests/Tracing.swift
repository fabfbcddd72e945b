import Glibc
import LinuxSystem

/// Whether tests can let system calls of theirs fail or wait.
let canTrace = isRoot && isProgram("/usr/bin/strace")

/// Attaches a tracer to this thread, which alters its system calls from here on.
///
/// - Parameter expression: what strace(1) takes after `-e`.
/// - Returns: the tracer's process id.
func traceThisThread(_ expression: String) throws -> Int32 {
    let thread = try Files.readLink("/proc/thread-self").split(separator: "/")[2]
    // Opened before, since the tracer counts what is opened afterwards.
    let status = try Files.open("/proc/thread-self/status", .readOnly)
    let tracer = try ChildProcess.start(
        "/usr/bin/strace",
        arguments: ["-qq", "-o", "/dev/null", "-e", expression, "-p", String(thread)],
        environment: [])
    while true {
        lseek(status.rawValue, 0, SEEK_SET)
        let text = String(decoding: try status.readWhole(limit: 1 << 16), as: UTF8.self)
        if !text.contains("TracerPid:\t0\n") { return tracer }
        usleep(1000)
    }
}
