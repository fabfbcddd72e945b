/// Lines of a name and a value, the values in one column.
///
/// The column is fixed, so that a line looks the same whatever the others say.
struct TextTable {
    /// Where the values begin.
    private static let column = 14

    private(set) var text = ""

    /// Adds a line; `-` stands for a value that is not known.
    ///
    /// - Parameter value: its control characters are escaped.
    mutating func add(_ name: String, _ value: String?) {
        let label = name + ":"
        text += label
        text += String(repeating: " ", count: max(1, Self.column - label.utf8.count))
        text += ControlCharacters.escaped(value ?? "-")
        text += "\n"
    }
}
