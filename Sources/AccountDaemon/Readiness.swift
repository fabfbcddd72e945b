import LinuxSystem

/// Tells whoever started the daemon, once, whether it serves: one line on a descriptor that was
/// passed for it.
final class Readiness {
    private var descriptor: FileDescriptor?

    init(_ number: Int32?) {
        descriptor = number.map { FileDescriptor(owning: $0) }
        switch descriptor {
        case .some(let descriptor): try? descriptor.setInherited(false)
        case .none: break
        }
    }

    func tell(_ line: String) {
        guard let descriptor = descriptor.take() else { return }
        try? descriptor.writeAll("\(line)\n".utf8Span.span)
    }
}
