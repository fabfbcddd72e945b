import JSON
import SecretMemory
import Varlink

/// Reads the parameters of one call by name and type; null counts as absent.
struct Parameters: ~Copyable {
    private let node: JSONIndex.Node?
    private var known = 0

    init(of call: Call) { node = call.parameters }

    /// A whole number, exact.
    mutating func integer(
        _ name: StaticString, _ index: borrowing JSONIndex, _ text: Span<UInt8>
    ) throws(Refusal) -> Int64? {
        guard let value = find(name, index, text) else { return nil }
        guard index.kind(of: value) == .number, let number = index.integer(value, in: text) else {
            throw .invalidParameter(name)
        }
        return number
    }

    /// True or false.
    mutating func boolean(
        _ name: StaticString, _ index: borrowing JSONIndex, _ text: Span<UInt8>
    ) throws(Refusal) -> Bool? {
        guard let value = find(name, index, text) else { return nil }
        switch index.kind(of: value) {
        case .true: return true
        case .false: return false
        default: throw .invalidParameter(name)
        }
    }

    /// A text, as its place in the message.
    mutating func string(
        _ name: StaticString, _ index: borrowing JSONIndex, _ text: Span<UInt8>
    ) throws(Refusal) -> JSONIndex.Node? {
        guard let value = find(name, index, text) else { return nil }
        guard index.kind(of: value) == .string else { throw .invalidParameter(name) }
        return value
    }

    /// To be called last: a parameter that nobody asked for is refused by its name, so that a
    /// misspelt one is not taken for absent.
    consuming func refuseOthers(
        besides names: [StaticString], _ index: borrowing JSONIndex, _ text: Span<UInt8>
    ) throws(Refusal) {
        guard let node, index.count(of: node) > known else { return }
        try index.forEachMember(of: node) { name, _ throws(Refusal) in
            for known in names where index.string(name, equals: known, in: text) { return }
            throw .unknownParameter(name)
        }
    }

    private mutating func find(
        _ name: StaticString, _ index: borrowing JSONIndex, _ text: Span<UInt8>
    ) -> JSONIndex.Node? {
        guard let node, index.count(of: node) > 0,
            let value = index.member(name, of: node, in: text)
        else { return nil }
        known += 1
        return index.kind(of: value) == .null ? nil : value
    }
}
