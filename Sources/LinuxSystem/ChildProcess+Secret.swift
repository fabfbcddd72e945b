import CLinux
import Glibc

extension ChildProcess {
    /// Becomes another program that has one more variable in its environment, whose value has never
    /// stood in ordinary memory; returns only by failing. execvpe(3)
    ///
    /// - Parameters:
    ///   - command: a path, or a name that is looked for in PATH.
    ///   - arguments: without the program's own name.
    ///   - variable: its name; what had the name before is left out.
    ///   - entry: the name, "=", the value, and a NUL, in secret memory.
    /// - Returns: `.notFound` where there is no such program, `.permissionDenied`, `.notExecutable`
    ///   or another errno where it cannot be run.
    package static func replaceThisProcess(
        _ command: String, arguments: [String], setting variable: String, entry: Span<UInt8>
    ) -> Errno {
        precondition(entry.count > 0 && entry[entry.count - 1] == 0, "no NUL at the end")
        for byte in command.utf8 where byte == 0 { return .invalidArgument }
        let prefix = variable + "="
        let argv = CStringList(arguments, first: command)
        var count = 0
        // SAFETY: the environment ends with a null pointer.
        while unsafe environ[count] != nil { count += 1 }
        let list = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: count + 2)
        defer { unsafe list.deallocate() }
        var used = 0
        for index in 0..<count {
            // SAFETY: below `count` no pointer is null, and each leads to a C string.
            guard let old = unsafe environ[index],
                unsafe strncmp(old, prefix, prefix.utf8.count) != 0
            else { continue }
            unsafe list[used] = old
            used += 1
        }
        unsafe entry.withUnsafeBytes { bytes in
            // SAFETY: execve reads the bytes up to the NUL and changes nothing.
            let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            unsafe list[used] = UnsafeMutablePointer(mutating: start)
            unsafe list[used + 1] = nil
            unsafe clinux_execvpe(command, argv.pointer, list)
        }
        return .current
    }
}
