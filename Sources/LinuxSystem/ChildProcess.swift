import CLinux
import Glibc

/// Starting other programs. posix_spawn(3), execve(2)
package enum ChildProcess {
    /// The descriptor number under which a detached child finds what was passed to it.
    package static let passedDescriptor: Int32 = 3

    /// Starts a program that outlives this one: in a session of its own, at "/", with descriptors 0
    /// to 2 on /dev/null, every signal at its default, and no other descriptor than the one passed.
    ///
    /// - Parameters:
    ///   - path: of the program; PATH is not searched. Relative paths among the arguments lose their
    ///     meaning, since the child stands at "/".
    ///   - arguments: without the program's own name.
    ///   - environment: all of it, each as `NAME=value`.
    ///   - passing: a descriptor that the child gets as number 3, the end of a pipe for readiness.
    /// - Returns: the process's id.
    package static func startDetached(
        _ path: String, arguments: [String], environment: [String], passing: Int32? = nil
    ) throws(Errno) -> Int32 {
        try Files.check(path)
        let argv = CStringList(arguments, first: path)
        let envp = CStringList(environment)
        var pid: Int32 = 0
        // SAFETY: both lists end with a null pointer and live for the call.
        let error = unsafe clinux_spawn_detached(
            &pid, path, argv.pointer, envp.pointer, passing ?? -1)
        guard error == 0 else { throw Errno(error) }
        return pid
    }

    /// Starts a program with the given standard descriptors and no others, and waits for its end.
    ///
    /// - Parameters:
    ///   - path: of the program; PATH is not searched.
    ///   - arguments: without the program's own name.
    ///   - environment: all of it, each as `NAME=value`.
    /// - Returns: its exit status, or 128 and the number of the signal that ended it.
    package static func run(
        _ path: String, arguments: [String], environment: [String], input: Int32 = 0,
        output: Int32 = 1, error: Int32 = 2
    ) throws(Errno) -> Int32 {
        try wait(
            for: start(
                path, arguments: arguments, environment: environment, input: input,
                output: output, error: error))
    }

    /// Starts a program with the given standard descriptors and no others.
    ///
    /// - Returns: the process's id, to be waited for.
    package static func start(
        _ path: String, arguments: [String], environment: [String], input: Int32 = 0,
        output: Int32 = 1, error: Int32 = 2
    ) throws(Errno) -> Int32 {
        try Files.check(path)
        let argv = CStringList(arguments, first: path)
        let envp = CStringList(environment)
        var pid: Int32 = 0
        // SAFETY: both lists end with a null pointer and live for the call.
        let failure = unsafe clinux_spawn(
            &pid, path, argv.pointer, envp.pointer, input, output, error)
        guard failure == 0 else { throw Errno(failure) }
        return pid
    }

    /// Waits for the end of a child. waitpid(2)
    ///
    /// - Returns: its exit status, or 128 and the number of the signal that ended it.
    package static func wait(for pid: Int32) throws(Errno) -> Int32 {
        var status: Int32 = 0
        // SAFETY: one integer to fill.
        _ = try valueOrErrno { unsafe waitpid(pid, &status, 0) }
        return clinux_exit_status(status)
    }

    /// Becomes another program; returns only by failing. execvpe(3)
    ///
    /// - Parameters:
    ///   - command: a path, or a name that is looked for in PATH.
    ///   - arguments: without the program's own name.
    ///   - environment: each as `NAME=value`; nil keeps this process's own, whatever its bytes.
    /// - Returns: `.notFound` where there is no such program, `.permissionDenied`, `.notExecutable`
    ///   or another errno where it cannot be run.
    package static func replaceThisProcess(
        _ command: String, arguments: [String], environment: [String]? = nil
    ) -> Errno {
        for byte in command.utf8 where byte == 0 { return .invalidArgument }
        let argv = CStringList(arguments, first: command)
        guard let environment else {
            // SAFETY: the list ends with a null pointer and lives for the call.
            unsafe clinux_execvpe(command, argv.pointer, environ)
            return .current
        }
        let envp = CStringList(environment)
        // SAFETY: both lists end with a null pointer and live for the call.
        unsafe clinux_execvpe(command, argv.pointer, envp.pointer)
        return .current
    }

    /// The path of the program that runs. /proc/self/exe, proc(5)
    ///
    /// - Throws: `.notFound` when its file has been removed or replaced since, else the errno.
    package static func executablePath() throws(Errno) -> String {
        let path = try Files.readLink("/proc/self/exe")
        guard !path.hasSuffix(" (deleted)") else { throw .notFound }
        return path
    }
}
