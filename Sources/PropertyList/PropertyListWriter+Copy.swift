import SecretMemory

extension PropertyListWriter {
    /// Adds all that a node of another property list holds, so that what a program does not know
    /// survives a rewrite.
    ///
    /// Each value is copied byte for byte, whatever its kind. What is shared within the node stays
    /// shared; what two calls share is written twice.
    ///
    /// - Parameters:
    ///   - node: a node of `index`.
    ///   - index: what `scan` made of `bytes`.
    package mutating func addCopy(
        of node: PropertyListIndex.Node, from index: PropertyListIndex, in bytes: Span<UInt8>
    ) throws(PropertyListError) -> Reference {
        var copies = [Reference?](repeating: nil, count: index.objectCount)
        var frames = [PropertyListIndex.Frame(object: node.object)]
        var root: Reference?
        while let frame = frames.last {
            let record = index.records[frame.object]
            let copy: Reference
            if record.kind.isContainer {
                let count = (record.kind == .dictionary ? 2 : 1) * record.count
                if frame.next < count {
                    let child = index.child(frame.next, of: record, in: bytes).object
                    frames[frames.count - 1].next += 1
                    if copies[child] == nil {
                        frames.append(PropertyListIndex.Frame(object: child))
                    }
                    continue
                }
                var children: [Reference] = []
                for position in 0..<count {
                    let child = index.child(position, of: record, in: bytes).object
                    guard let copied = copies[child] else { throw .cyclic }
                    children.append(copied)
                }
                copy = try add(container: record.kind, children)
            } else {
                copy = try add { buffer throws(SecretMemoryError) in
                    try buffer.append(bytes.extracting(record.start..<record.payload.upperBound))
                }
            }
            copies[frame.object] = copy
            root = copy
            frames.removeLast()
        }
        guard let root else { preconditionFailure("the first frame gives a copy") }
        return root
    }
}
