/// The script for fish. complete(1) of fish
enum FishCompletion {
    /// All of it.
    static var script: String {
        """
        # Completion of account for fish, as `account completion fish` prints it.
        # It looks at the command line alone: it runs no program, account least of all.

        # Whether what follows COMMAND is asked for: with `word`, what is no option; with `after`, such a
        # thing behind the one that is named; else an option, if none of those that are given stands
        # there yet. No COMMAND: before any; '*': wherever.
        function __account_at --argument-names wanted kind
            set -l words (commandline -opc)
            set -e words[1]
            set -l command ''
            set -l given
            set -l pending
            set -l ended
            set -l more
            for word in $words
                if set -q pending[1]
                    set -a given $pending
                    set -e pending
                else if not set -q ended[1]; and test "$word" = --
                    set ended yes
                else if not set -q ended[1]; and string match -q -- '-?*' $word
                    if contains -- $word \(namesWithValue)
                        set pending $word
                    else
                        set -a given (string replace -r -- '=.*' '' $word)
                    end
                else if test -z "$command"
                    set command $word
                else
                    set -a more $word
                end
            end
            if test "$wanted" = '*'
                test -z "$command"; or contains -- $command \(commandNames); or return 1
            else
                test "$command" = "$wanted"; or return 1
            end
            if test "$kind" = word
                not set -q pending[1]; and not set -q more[1]
                return
            end
            if test "$kind" = after
                not set -q pending[1]; and test "$more" = "$argv[3]"
                return
            end
            for option in $argv[2..-1]
                contains -- $option $given; and return 1
            end
            return 0
        end

        complete -c account -f
        \(lines.joined(separator: "\n"))

        """
    }

    // One for each word and each option.
    private static var lines: [String] {
        var lines = words("'' word", Command.listed.map { CommandWord($0.name, $0.summary) })
        lines += GlobalOptions.all.map { line($0, of: "'*'") }
        for command in Command.listed {
            lines += words("\(command.name) word", command.description.operands)
            if command.description.takesFile { lines.append(files("\(command.name) word")) }
            for word in command.description.operands {
                let place = "\(command.name) after \(word.name)"
                lines += words(place, word.following)
                if word.takesFile { lines.append(files(place)) }
            }
            lines += command.description.options.map { line($0, of: command.name) }
        }
        return lines
    }

    private static var commandNames: String {
        Command.listed.map(\.name).joined(separator: " ")
    }

    private static var namesWithValue: String {
        var names: [String] = []
        for option in GlobalOptions.all + Command.listed.flatMap(\.description.options)
        where option.value != .none && !names.contains(option.name) {
            names.append(option.name)
        }
        return names.joined(separator: " ")
    }

    private static func words(_ place: String, _ words: [CommandWord]) -> [String] {
        let condition = quoted("__account_at \(place)")
        return words.map {
            "complete -c account -n \(condition) -a \($0.name) -d \(quoted($0.summary))"
        }
    }

    private static func files(_ place: String) -> String {
        "complete -c account -n \(quoted("__account_at \(place)")) -F"
    }

    private static func line(_ option: CommandOption, of command: String) -> String {
        let others = option.rival.isEmpty ? "" : " \(option.rival)"
        let given = option.spellings.joined(separator: " ") + others
        var line = "complete -c account -n \(quoted("__account_at \(command) \(given)"))"
        for spelling in option.spellings {
            let isLong = spelling.hasPrefix("--")
            line += isLong ? " -l \(spelling.dropFirst(2))" : " -s \(spelling.dropFirst())"
        }
        switch option.value {
        case .none: break
        case .text: line += " -x"
        case .file: line += " -r -F"
        case .directory: line += " -x -a '(__fish_complete_directories)'"
        case .word:
            let words = option.words.map { "\($0.name)\\t\(quoted($0.summary))" }
            line += " -x -a \(quoted(words.joined(separator: " ")))"
        }
        return line + " -d \(quoted(option.summary))"
    }

    private static func quoted(_ text: String) -> String {
        var result = "'"
        for character in text {
            if character == "'" || character == "\\" { result += "\\" }
            result.append(character)
        }
        return result + "'"
    }
}
