import FoundationEssentials
import PropertyList

extension ArchiveDecoder {
    func boolean() throws(ArchiveError) -> Bool {
        guard let value = ask({ $0.boolean(place.node, in: $1) }) else { throw mismatch(Bool.self) }
        return value
    }

    func integer<T: Archivable & FixedWidthInteger>() throws(ArchiveError) -> T {
        let node = place.node
        if let value = ask({ $0.integer(node, in: $1) }) {
            guard let value = T(exactly: value) else {
                throw refusal("an integer is out of the bounds of \(T.archiveTypeName)")
            }
            return value
        }
        guard ask({ index, _ in index.kind(of: node) }) == .integer else {
            throw mismatch(T.self)
        }
        guard let value = ask({ $0.unsignedInteger(node, in: $1) }).flatMap(T.init(exactly:)) else {
            throw refusal("an integer is out of the bounds of \(T.archiveTypeName)")
        }
        return value
    }

    func real<T: Archivable>(as type: T.Type) throws(ArchiveError) -> Double {
        guard let value = ask({ $0.real(place.node, in: $1) }) else { throw mismatch(type) }
        return value
    }

    func string() throws(ArchiveError) -> String {
        guard let text = ask({ $0.text(of: place.node, in: $1) }) else {
            throw mismatch(String.self)
        }
        guard place.optionality > 0 else { return text }
        let dollars = ReservedKey.dollars(text)
        guard dollars > 0 else { return text }
        guard dollars > place.optionality else { throw mismatch(String.self) }
        return String(text.dropFirst(place.optionality))
    }

    func dateSince2001() throws(ArchiveError) -> Double {
        let node = place.node
        if let seconds = ask({ $0.secondsSince2001(node, in: $1) }) { return seconds }
        let isDate = ask { index, _ in index.kind(of: node) == .date }
        throw isDate ? refusal("a date is not finite") : mismatch(Date.self)
    }

    func data() throws(ArchiveError) -> Data {
        let data = ask { index, bytes in
            index.dataRange(place.node).map { Data(copying: bytes.extracting($0)) }
        }
        guard let data else { throw mismatch(Data.self) }
        return data
    }

    /// Whether the value is not the nothing of the optional around it.
    func isNotNull() -> Bool {
        let wanted = place.optionality + 1
        return ask { index, bytes in
            let node = place.node
            guard index.kind(of: node) == .string, index.count(of: node) == wanted + 4 else {
                return true
            }
            return ReservedKey.dollars(index.text(of: node, in: bytes) ?? "") != wanted
        }
    }

    /// Reads what an optional holds.
    mutating func wrapped<T: Archivable>(_ type: T.Type) throws(ArchiveError) -> T {
        guard place.isProperty else {
            place.optionality += 1
            return try T.unarchive(from: &self)
        }
        return try typedValue(type, at: place.node, optionals: place.optionality + 1)
    }

    /// That the value here is of another type.
    func mismatch<T: Archivable>(_ type: T.Type) -> ArchiveError {
        refusal("it is \(described(place.node)), not \(T.archiveTypeName)")
    }

    /// What a value at a node is, to a person.
    func described(_ node: Node) -> String {
        ask { index, bytes in
            switch index.kind(of: node) {
            case .null: "nothing"
            case .boolean: "Bool"
            case .integer: "Int"
            case .real: "Double"
            case .date: "Date"
            case .data: "Data"
            case .uid: "a reference"
            case .array: "a list"
            case .set: "a set"
            case .string:
                index.string(node, equals: ReservedKey.null, in: bytes) ? "nothing" : "String"
            case .dictionary:
                index.member("$type", of: node, in: bytes).flatMap { index.text(of: $0, in: bytes) }
                    .flatMap { ArchiveTypeName($0)?.text } ?? "a dictionary"
            }
        }
    }
}
