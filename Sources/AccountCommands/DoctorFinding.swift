/// One thing that was looked at.
struct DoctorFinding: Equatable {
    enum Verdict: String {
        /// As it should be.
        case ok
        /// Nothing is broken, and yet it is worth knowing.
        case note
        case wrong
    }

    let verdict: Verdict
    /// What was looked at.
    let subject: String
    /// What was found.
    let text: String

    init(_ verdict: Verdict, _ subject: String, _ text: String) {
        self.verdict = verdict
        self.subject = subject
        self.text = text
    }

    /// A line for people.
    var line: String {
        let padding = String(repeating: " ", count: 7 - verdict.rawValue.utf8.count)
        return "\(verdict.rawValue)\(padding)\(subject): \(ControlCharacters.escaped(text))\n"
    }

    /// An object for programs.
    var json: JSONText {
        var object = JSONText()
        object.add("verdict", verdict.rawValue)
        object.add("subject", subject)
        object.add("text", text)
        return object
    }
}
