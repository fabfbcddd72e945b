import LinuxSystem

/// What a person is asked for, in a dialog or on the terminal.
struct PassphraseQuestion: Equatable {
    /// What is asked for.
    let kind: Passphrase.Kind
    /// What it is for; lines without an end behind the last.
    let explanation: String
    /// What was wrong with the answer before; nil where this is the first question.
    var error: String?
    /// Whether it is a new one, which is asked for twice.
    var isNew = false
    /// By which a pinentry may find what a person has had it keep; nil for what is new.
    var keyInfo: String?

    private var label: String { kind == .passphrase ? "Passphrase" : "Recovery code" }

    /// For a pinentry.
    ///
    /// - Parameter isAgain: whether it is the second question for a new one.
    func dialog(isAgain: Bool = false) -> PinentryDialog {
        PinentryDialog(
            title: "account", description: explanation,
            prompt: isAgain ? "Once more:" : "\(label):", error: error,
            repeatPrompt: isNew && !isAgain ? "Once more:" : nil, keyInfo: keyInfo)
    }

    /// For the terminal.
    func lines(isAgain: Bool = false) -> String {
        if isAgain { return "Once more: " }
        // Who has read the explanation need not read it again.
        return "\(error ?? explanation)\n\(label) (it is not shown): "
    }
}
