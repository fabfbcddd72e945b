/// A word that a shell takes as it is, for commands that are shown to be copied.
package enum ShellWord {
    /// The word, in single quotes unless nothing in it means anything to a shell.
    package static func quoted(_ word: String) -> String {
        if !word.isEmpty, word.utf8.allSatisfy(isPlain) { return word }
        var result = "'"
        for character in word.unicodeScalars {
            if character == "'" {
                result += "'\\''"
            } else {
                result.unicodeScalars.append(character)
            }
        }
        return result + "'"
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: "+"), UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "%"):
            true
        default: false
        }
    }
}
