/// What a pinentry is to ask.
///
/// None of it is a secret.
package struct PinentryDialog: Equatable, Sendable {
    /// Bytes of the longest line that is sent; the protocol has 1000 without its end.
    static let longestLine = 990

    /// Of the dialog's window.
    package var title: String
    /// What is asked for, and why; lines.
    package var description: String
    /// What stands before the field.
    package var prompt: String
    /// What was wrong with the answer before; nil where this is the first question.
    package var error: String?
    /// What stands before the field in which the same is typed again; nil where once is enough.
    package var repeatPrompt: String?
    /// By which a pinentry may find what a person has had it keep; nil where it must not.
    package var keyInfo: String?

    /// Makes one.
    package init(
        title: String, description: String, prompt: String, error: String? = nil,
        repeatPrompt: String? = nil, keyInfo: String? = nil
    ) {
        self.title = title
        self.description = description
        self.prompt = prompt
        self.error = error
        self.repeatPrompt = repeatPrompt
        self.keyInfo = keyInfo
    }

    /// What has to be understood, or the question could not be told from another.
    var neededCommands: [String] {
        [Self.line("SETDESC", description), Self.line("SETPROMPT", prompt)]
    }

    /// What older or simpler programs may not know.
    func optionalCommands(seconds: Int64) -> [String] {
        var lines = ["SETTIMEOUT \(seconds)", Self.line("SETTITLE", title)]
        if let error { lines.append(Self.line("SETERROR", error)) }
        if let repeatPrompt {
            lines.append(Self.line("SETREPEAT", repeatPrompt))
            lines.append(Self.line("SETREPEATERROR", "The two are not the same. Try again."))
        }
        if let keyInfo { lines.append(Self.line("SETKEYINFO", keyInfo)) }
        return lines
    }

    /// A command with its parameter. Assuan, "Client requests"
    static func line(_ command: String, _ parameter: String) -> String {
        var line = command + " "
        for scalar in parameter.unicodeScalars {
            let escaped = escaped(scalar)
            guard line.utf8.count + escaped.utf8.count <= longestLine else { break }
            line += escaped
        }
        return line
    }

    // A line's end would begin another command.
    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar.value {
        case 0x00..<0x10: "%0" + String(scalar.value, radix: 16, uppercase: true)
        case 0x10..<0x20, 0x25, 0x7F: "%" + String(scalar.value, radix: 16, uppercase: true)
        default: String(scalar)
        }
    }
}
