import LinuxSystem

/// Tells whoever started the daemon, once, whether it serves: one line on a descriptor that was
/// passed for it.
final class Readiness {
    private var descriptor: FileDescriptor?

    /// Takes the descriptor over.
    ///
    /// - Throws: when it is not open: the number would soon be that of something of the daemon's own,
    ///   which would be written to and closed.
    init(_ number: Int32?) throws(StartError) {
        guard let number else { return }
        let given = FileDescriptor(owning: number)
        do throws(Errno) {
            try given.setInherited(false)
        } catch {
            _ = given.release()
            throw .usage("--ready-fd \(number): \(error.description)")
        }
        descriptor = consume given
    }

    func tell(_ line: String) {
        guard let descriptor = descriptor.take() else { return }
        try? descriptor.writeAll("\(line)\n".utf8Span.span)
    }
}
