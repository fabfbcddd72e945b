import JSON

/// `account check`: whether the token is good for long enough.
enum CheckCommand {
    private static let quiet = CommandOption(
        "--quiet", "no answer on stdout: the exit status says it all")
    static let format = CommandOption(
        "--format", "F", .word, "how to answer:",
        words: [
            CommandWord("text", "a line for people (the default)"),
            CommandWord("json", "the same as JSON; times as seconds since 1970 and as RFC 3339"),
        ])

    static let description = CommandDescription(
        """
        Says whether the token is good for at least D more (by default: whether it has not expired)
        and exits with 0 when it is, with 1 when it is not.

        """, options: [.minValidity, quiet, format])

    private enum Format {
        case none, text, json
    }

    static func run(_ invocation: inout Invocation) throws(CommandFailure) -> ExitStatus {
        var minimum: Int64 = 0
        var format = Format.text
        var isQuiet = false
        while let option = try invocation.nextOption() {
            switch option {
            case .minValidity: minimum = try invocation.duration(of: option)
            case Self.quiet: isQuiet = true
            case Self.format: format = try read(invocation.value(of: option))
            default: throw Invocation.unknown(option, .check)
            }
        }
        if isQuiet { format = .none }

        var exchange = try Exchange.start(invocation.options, memory: Exchange.smallMemory)
        let verdict = try Verdict.ask(&exchange, minimum: minimum)
        var output = try Output(exchange.arena, capacity: 192, limit: 192)
        switch format {
        case .none: break
        case .text: try writeText(verdict, minimum, &output)
        case .json: try writeJSON(verdict, minimum, &output)
        }
        if format != .none { try output.flush(to: invocation.descriptors.output) }
        return verdict.isValid ? .done : .expired
    }

    private static func read(_ format: String) throws(CommandFailure) -> Format {
        switch format {
        case "text": return .text
        case "json": return .json
        default:
            throw Self.format.refusal(of: format, .check)
        }
    }

    private static func writeText(
        _ verdict: Verdict, _ minimum: Int64, _ output: inout Output
    ) throws(CommandFailure) {
        if verdict.remaining > 0 {
            try output.append(verdict.isValid ? "valid: expires " : "too short: expires ")
            try output.append(date: verdict.expiresAt)
            try output.append(", in ")
            try output.append(verdict.remaining)
            try output.append(" s")
            if !verdict.isValid {
                try output.append("; asked for ")
                try output.append(minimum)
                try output.append(" s")
            }
        } else {
            try output.append("expired: ")
            try output.append(date: verdict.expiresAt)
            try output.append(", ")
            try output.append(verdict.remaining == .min ? .max : -verdict.remaining)
            try output.append(" s ago")
        }
        try output.append("\n")
    }

    private static func writeJSON(
        _ verdict: Verdict, _ minimum: Int64, _ output: inout Output
    ) throws(CommandFailure) {
        try output.append(verdict.isValid ? "{\"valid\":true" : "{\"valid\":false")
        try output.append(",\"expires_at\":")
        try output.append(verdict.expiresAt)
        try output.append(",\"expires_date\":\"")
        try output.append(date: verdict.expiresAt)
        try output.append("\",\"remaining\":")
        try output.append(verdict.remaining)
        try output.append(",\"min_validity\":")
        try output.append(minimum)
        try output.append("}\n")
    }
}
