/// Connections in the order in which one limit on them runs out.
///
/// All of a queue have the same time, so the order in which they came is the order of their
/// deadlines, and joining and leaving cost nothing whatever their number.
struct ConnectionQueue {
    let limit: Connection.Limit
    /// Milliseconds that a connection may stay.
    let patience: Int64
    private(set) var first: Connection?
    private weak var last: Connection?

    init(_ limit: Connection.Limit, patience: Int64) {
        self.limit = limit
        self.patience = patience
    }

    /// The first deadline, in milliseconds of boot time; nil when the queue is empty.
    var deadline: Int64? { first?.deadline }

    mutating func append(_ connection: Connection, at now: Int64) {
        connection.limit = limit
        connection.deadline = now + patience
        connection.next = nil
        unsafe connection.previous = last
        if let last { last.next = connection } else { first = connection }
        last = connection
    }

    mutating func remove(_ connection: Connection) {
        let before = unsafe connection.previous
        if let before { before.next = connection.next } else { first = connection.next }
        if let after = connection.next {
            unsafe after.previous = before
        } else {
            last = before
        }
        connection.next = nil
        unsafe connection.previous = nil
        connection.limit = .none
    }
}
