extension ObjectGraph {
    /// What a walk does next.
    package enum Step: Equatable, Sendable {
        /// Goes into the object.
        case into
        /// Passes over what it holds.
        case past
    }

    private struct Frame {
        let node: PropertyListIndex.Node
        // Where its children begin in the list of those that are still to be visited.
        let base: Int
    }

    /// Goes through all objects from the top, or from one of them, each before what it holds:
    /// elements, fields, and the values of dictionaries, which are not looked at in any other order
    /// than the file's.
    ///
    /// An object that several hold is passed as often, so that the walk is that of a tree. Nothing
    /// recurses.
    ///
    /// - Parameters:
    ///   - start: the object to begin with; by default all those at the top.
    ///   - visit: is passed each object, and says whether to go into it.
    /// - Throws: `.cyclic` where an object holds itself; `.tooDeep` and `.tooManyVisits` past the
    ///   limits; `.malformed`; and what `visit` throws.
    package func walk(
        from start: Object? = nil, in bytes: Span<UInt8>,
        _ visit: (Object, Kind) throws(ObjectGraphError) -> Step
    ) throws(ObjectGraphError) {
        var pending: [PropertyListIndex.Node] = []
        if let start {
            pending.append(start.node)
        } else {
            try forEachTop(in: bytes) { _, object in pending.append(object.node) }
            pending.reverse()
        }
        var frames: [Frame] = []
        var isOpen = [Bool](repeating: false, count: index.objectCount)
        var visits = 0
        while true {
            while let frame = frames.last, pending.count == frame.base {
                isOpen[frame.node.object] = false
                frames.removeLast()
            }
            guard let node = pending.popLast() else { return }
            visits += 1
            guard visits <= limits.maximumVisits else { throw .tooManyVisits }
            guard !isOpen[node.object] else { throw .cyclic }
            let object = Object(node: node)
            let kind = try kind(of: object, in: bytes)
            guard frames.count < limits.maximumDepth else { throw .tooDeep }
            guard try visit(object, kind) == .into else { continue }
            let base = pending.count
            try appendChildren(of: object, kind, in: bytes, to: &pending)
            guard pending.count > base else { continue }
            pending[base...].reverse()
            isOpen[node.object] = true
            frames.append(Frame(node: node, base: base))
        }
    }

    private func appendChildren(
        of object: Object, _ kind: Kind, in bytes: Span<UInt8>,
        to pending: inout [PropertyListIndex.Node]
    ) throws(ObjectGraphError) {
        switch kind {
        case .array, .set:
            try forEachElement(of: object, in: bytes) { pending.append($0.node) }
        case .dictionary, .object:
            try forEachMember(of: object, in: bytes) { _, value in pending.append(value.node) }
        default: return
        }
    }
}
