/// What the daemon is to do after a call.
package struct Outcome: Sendable {
    /// What comes next on the connection.
    package enum Action: Sendable {
        /// Send what was written.
        case reply
        /// Send the ready-made reply to GetToken.
        case tokenReply
        /// Nothing: the call was `oneway`.
        case silence
        /// Another change is under way: keep the message and hand it in again once that is done.
        case wait
        /// Keep the message and hand it in again at a point of boot time, in milliseconds.
        case waitUntil(Int64)
        /// Send what was written at a point of boot time, in milliseconds, and nothing before it.
        case replyAt(Int64)
        /// Have this done, then call `finish`, which gives the reply.
        ///
        /// Boxed: an outcome is handed about for every query, and few are changes.
        indirect case change(StoreChange)
        /// End the connection.
        case close
    }

    /// What comes next.
    package let action: Action
    /// The method that was called, where it is one that is served.
    package let method: Method?
    /// What became of the call so far.
    package let verdict: Verdict
}
