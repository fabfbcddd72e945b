/// How much of an arena a party may hold at once.
///
/// Budgets nest: what is charged to one user's budget is charged to that of all strangers too, and
/// what the strangers' budget leaves is the owner's, whatever the strangers do.
package final class SecretBudget {
    /// Bytes.
    package let limit: Int
    /// Bytes charged now.
    package private(set) var used = 0
    private let parent: SecretBudget?

    /// Makes a budget of `limit` bytes, within a larger one if there is one.
    package init(limit: Int, within parent: SecretBudget? = nil) {
        self.limit = limit
        self.parent = parent
    }

    /// Whether `count` more bytes would fit, here and in every budget around.
    ///
    /// - Parameter alone: here, whatever the budgets around say.
    package func hasRoom(for count: Int, alone: Bool = false) -> Bool {
        guard count <= limit - used else { return false }
        return alone || parent?.hasRoom(for: count) ?? true
    }

    func charge(_ count: Int) throws(SecretMemoryError) {
        guard hasRoom(for: count) else { throw .exhausted }
        add(count)
    }

    func refund(_ count: Int) { add(-count) }

    private func add(_ count: Int) {
        used += count
        parent?.add(count)
    }
}
