import CLinux
import Glibc

/// A thread beside the loop. pthread_create(3)
package enum WorkerThread {
    private final class Start: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// Starts a thread with every signal blocked; nobody waits for its end.
    ///
    /// - Parameters:
    ///   - name: as tools show it, of which 15 bytes count.
    ///   - stackSize: bytes, of which only those that are used take memory.
    ///   - body: what it does.
    /// - Throws: `.wouldBlock` when there are too many threads, `.noMemory`.
    package static func start(
        name: String, stackSize: Int = 1 << 20, _ body: @escaping @Sendable () -> Void
    ) throws(Errno) {
        var attributes = pthread_attr_t()
        // SAFETY: initialised here and destroyed below.
        guard unsafe pthread_attr_init(&attributes) == 0 else { throw .noMemory }
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        unsafe pthread_attr_setstacksize(&attributes, stackSize)
        let start = unsafe Unmanaged.passRetained(Start(name: name, body: body))
        // The thread inherits the mask; signals are for the loop's descriptor.
        let before = SignalSet.all.block()
        defer { before.replaceMask() }
        var thread = pthread_t()
        // SAFETY: the thread takes over the reference that was retained for it.
        let error = unsafe pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument = unsafe argument else { return nil }
                let start = unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                unsafe clinux_set_thread_name(start.name)
                start.body()
                return nil
            }, start.toOpaque())
        guard error == 0 else {
            unsafe start.release()
            throw Errno(error)
        }
    }

    /// Closes descriptors in the calling thread's table, of which another thread's has copies that it
    /// goes on using. close(2)
    package static func close(_ descriptors: [Int32]) {
        for descriptor in descriptors { Glibc.close(descriptor) }
    }

    /// Gives the calling thread a descriptor table of its own, a copy of the process's as it is now.
    /// CLONE_FILES, unshare(2)
    ///
    /// While threads share a table the kernel counts references on each use of a descriptor, in all of
    /// them. What one opens or closes from here on the others do not see.
    ///
    /// - Parameter other: a descriptor that the others close when its time has come, and that this
    ///   thread's copy must not keep open.
    /// - Throws: the errno; the table is shared as before then, and all works as well.
    package static func ownDescriptors(without other: Int32?) throws(Errno) {
        _ = try valueOrErrno { clinux_unshare_files() }
        if let other { Glibc.close(other) }
    }
}
