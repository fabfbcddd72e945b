/// Makes text from elsewhere harmless to a terminal.
///
/// A screen name is what its user likes it to be. Printed as it stands, an escape sequence in it
/// could recolour, overwrite or type; a line end could forge a line of ours; a mark of direction
/// could turn the rest of the line around.
package enum ControlCharacters {
    /// The text with each control character written as `\n`, `\t`, `\r` or `\u{1b}`.
    ///
    /// C0, DEL and C1 (ECMA-48), line and paragraph separators, and the marks that change the
    /// direction of what follows (UAX #9). A backslash stays: this is for eyes, not for parsers,
    /// which have `--json`.
    package static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where isControl(scalar):
                result += "\\u{" + String(scalar.value, radix: 16) + "}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Whether it is one of these.
    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00..<0x20, 0x7F...0x9F: true
        case 0x2028, 0x2029: true
        case 0x200E, 0x200F, 0x061C, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
