import JSON

/// Members that an object must have, to hold against one that came.
///
/// A number that is written with a fraction is compared as a float, which the other side may write
/// without one; any other must be a whole number, written as one. A member that is null is as good
/// as absent, as an optional field of Varlink is.
struct ExpectedMembers {
    private let text: [UInt8]
    private let index: JSONIndex

    /// - Parameter json: an object; its names and strings have no escapes.
    init(_ json: StaticString) throws(JSONError) {
        var index = JSONIndex()
        let text = Array(json.description.utf8)
        try index.scan(text.span)
        self.text = text
        self.index = index
    }

    /// Whether an object has all the members, with these values.
    ///
    /// - Parameter others: how many others it must have; nil for any number.
    func areIn(
        _ found: JSONIndex.Node, others: Int?, _ foundIndex: borrowing JSONIndex,
        _ foundText: Span<UInt8>
    ) -> Bool {
        isObject(index.root, found, others, foundIndex, foundText)
    }

    private func isSame(
        _ wanted: JSONIndex.Node, _ found: JSONIndex.Node, _ foundIndex: borrowing JSONIndex,
        _ foundText: Span<UInt8>
    ) -> Bool {
        let kind = index.kind(of: wanted)
        guard foundIndex.kind(of: found) == kind else { return false }
        switch kind {
        case .object: return isObject(wanted, found, 0, foundIndex, foundText)
        case .array: return isArray(wanted, found, foundIndex, foundText)
        case .string:
            let content = text.span.extracting(index.range(of: wanted))
            return foundIndex.string(found, equals: content, in: foundText)
        case .number:
            if let whole = index.integer(wanted, in: text.span) {
                return foundIndex.integer(found, in: foundText) == whole
            }
            return foundIndex.float(found, in: foundText) == index.float(wanted, in: text.span)
        case .true, .false, .null: return true
        }
    }

    private func isObject(
        _ wanted: JSONIndex.Node, _ found: JSONIndex.Node, _ others: Int?,
        _ foundIndex: borrowing JSONIndex, _ foundText: Span<UInt8>
    ) -> Bool {
        guard foundIndex.kind(of: found) == .object else { return false }
        var surplus = 0
        foundIndex.forEachMember(of: found) { _, value in
            if foundIndex.kind(of: value) != .null { surplus += 1 }
        }
        var matches = true
        index.forEachMember(of: wanted) { name, value in
            guard matches, index.kind(of: value) != .null else { return }
            surplus -= 1
            matches = has(name, value, in: found, foundIndex, foundText)
        }
        return matches && surplus == others ?? surplus
    }

    private func has(
        _ name: JSONIndex.Node, _ value: JSONIndex.Node, in found: JSONIndex.Node,
        _ foundIndex: borrowing JSONIndex, _ foundText: Span<UInt8>
    ) -> Bool {
        let wantedName = text.span.extracting(index.range(of: name))
        var isThere = false
        foundIndex.forEachMember(of: found) { foundName, foundValue in
            if foundIndex.string(foundName, equals: wantedName, in: foundText) {
                isThere = isSame(value, foundValue, foundIndex, foundText)
            }
        }
        return isThere
    }

    private func isArray(
        _ wanted: JSONIndex.Node, _ found: JSONIndex.Node, _ foundIndex: borrowing JSONIndex,
        _ foundText: Span<UInt8>
    ) -> Bool {
        guard foundIndex.count(of: found) == index.count(of: wanted) else { return false }
        var elements: [JSONIndex.Node] = []
        index.forEachElement(of: wanted) { elements.append($0) }
        var position = 0
        var matches = true
        foundIndex.forEachElement(of: found) { element in
            matches = matches && isSame(elements[position], element, foundIndex, foundText)
            position += 1
        }
        return matches
    }
}
