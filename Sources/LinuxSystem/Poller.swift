import CLinux
import Glibc

/// What a descriptor is waited for, and what it is ready for. epoll_ctl(2)
package struct PollEvents: OptionSet, Sendable {
    /// The bits, as epoll_ctl(2) has them.
    package let rawValue: UInt32

    /// Events from bits as epoll_ctl(2) has them.
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// EPOLLIN.
    package static var readable: PollEvents { PollEvents(rawValue: 0x001) }
    /// EPOLLPRI: of the table of mounts, that it has changed. proc(5)
    package static var changed: PollEvents { PollEvents(rawValue: 0x002) }
    /// EPOLLOUT.
    package static var writable: PollEvents { PollEvents(rawValue: 0x004) }
    /// EPOLLERR; reported whether asked for or not.
    package static var error: PollEvents { PollEvents(rawValue: 0x008) }
    /// EPOLLHUP; reported whether asked for or not.
    package static var hangup: PollEvents { PollEvents(rawValue: 0x010) }
    /// EPOLLRDHUP: the peer will send no more.
    package static var peerClosed: PollEvents { PollEvents(rawValue: 0x2000) }
}

/// Waits for many descriptors at once, level triggered. epoll(7)
///
/// The events of a wait stand in memory that is had once; nothing is allocated afterwards.
@safe package struct Poller: ~Copyable {
    /// Events that one wait gives at the most; the rest come with the next.
    package static let eventsPerWait = 64

    /// One descriptor that is ready.
    package struct Event: Sendable {
        /// What was given when the descriptor was added.
        package let token: UInt64
        /// What the descriptor is ready for.
        package let events: PollEvents
    }

    private let descriptor: FileDescriptor
    private let events: UnsafeMutablePointer<epoll_event>
    private var ready = 0

    /// Makes an empty one. epoll_create1(2)
    package init() throws(Errno) {
        descriptor = FileDescriptor(
            owning: try valueOrErrno { epoll_create1(Int32(EPOLL_CLOEXEC)) })
        unsafe events = .allocate(capacity: Self.eventsPerWait)
        unsafe events.initialize(repeating: epoll_event(), count: Self.eventsPerWait)
    }

    deinit { unsafe events.deallocate() }

    /// Waits for a descriptor from now on. EPOLL_CTL_ADD
    ///
    /// - Parameter token: comes back with each event.
    package func add(fd: Int32, events: PollEvents, token: UInt64) throws(Errno) {
        try control(EPOLL_CTL_ADD, fd, events, token)
    }

    /// Waits for other events of a descriptor. EPOLL_CTL_MOD
    package func modify(fd: Int32, events: PollEvents, token: UInt64) throws(Errno) {
        try control(EPOLL_CTL_MOD, fd, events, token)
    }

    /// Waits no longer for a descriptor; closing its last duplicate does the same. EPOLL_CTL_DEL
    package func remove(fd: Int32) throws(Errno) {
        try control(EPOLL_CTL_DEL, fd, [], 0)
    }

    /// Waits until a descriptor is ready or the time is up. epoll_wait(2)
    ///
    /// - Parameter timeoutMilliseconds: 0 not at all, -1 for ever.
    /// - Returns: how many events there are; 0 as well when a signal interrupts the wait.
    package mutating func wait(timeoutMilliseconds: Int32) throws(Errno) -> Int {
        // SAFETY: there is room for that many events.
        let count = unsafe epoll_wait(
            descriptor.rawValue, events, Int32(Self.eventsPerWait), timeoutMilliseconds)
        guard count >= 0 else {
            ready = 0
            guard errno == EINTR else { throw .current }
            return 0
        }
        ready = Int(count)
        return Int(count)
    }

    /// An event of the last wait.
    ///
    /// - Parameter index: below what `wait` returned.
    package func event(at index: Int) -> Event {
        precondition(index >= 0 && index < ready, "no such event")
        // SAFETY: the kernel filled `ready` events.
        let event = unsafe events[index]
        return unsafe Event(
            token: event.data.u64, events: PollEvents(rawValue: event.events))
    }

    private func control(
        _ operation: Int32, _ fd: Int32, _ events: PollEvents, _ token: UInt64
    ) throws(Errno) {
        // SAFETY: the kernel copies the event and never looks at what the data would point to.
        var event = unsafe epoll_event()
        unsafe event.events = events.rawValue
        unsafe event.data.u64 = token
        guard unsafe epoll_ctl(descriptor.rawValue, operation, fd, &event) == 0 else {
            throw .current
        }
    }
}
