/// The script for zsh. zshcompsys(1), "_arguments", "_describe"
enum ZshCompletion {
    /// All of it.
    static var script: String {
        """
        #compdef account
        # Completion of account for zsh, as `account completion zsh` prints it.
        # It looks at the command line alone: it runs no program, account least of all.

        _account_values() {
            local -a values
            case $1 in
        \(values)
            esac
            _describe -t values value values
        }

        _account() {
            local curcontext=$curcontext context state state_descr option
            local -a line common following
            local -A opt_args
            common=(
        \(GlobalOptions.all.map { "        \(specification($0, of: ""))" }.joined(separator: "\n"))
            )
            _arguments -C -S : $common '(-): :->command' '(-)*:: :->rest' && return 0
            # What stands before the command is not offered again behind it.
            for option in ${(k)opt_args}; do common=(${common:#*${option}[=\\[\\)]*}); done
            case $state in
                command) _account_values '*' ;;
                rest)
                    curcontext=${curcontext%:*}-${(Q)words[1]}:
                    case ${(Q)words[1]} in
        \(Command.listed.map(branch).joined(separator: "\n"))
                        *) return 1 ;;
                    esac
                    ;;
                *) return 1 ;;
            esac
        }

        # Run as the function by which the shell has loaded this file, else read by `source`.
        if [[ $funcstack[1] == _account ]]; then
            _account "$@"
        else
            compdef _account account
        fi

        """
    }

    // What may stand at each place where there is a choice of words.
    private static var values: String {
        var places = [place("'*'", Command.listed.map { CommandWord($0.name, $0.summary) })]
        for command in Command.listed {
            let description = command.description
            if !description.operands.isEmpty {
                places.append(place(command.name, description.operands))
            }
            for word in description.operands where !word.following.isEmpty {
                places.append(place("'\(command.name) \(word.name)'", word.following))
            }
            for option in description.options where option.value == .word {
                places.append(place(command.name + option.name, option.words))
            }
        }
        return places.joined(separator: "\n")
    }

    private static func place(_ place: String, _ words: [CommandWord]) -> String {
        var text = "        \(place))\n            values=(\n"
        for word in words {
            text += "                \(quoted("\(word.name):\(word.summary)"))\n"
        }
        return text + "            )\n            ;;"
    }

    private static func branch(_ command: Command) -> String {
        let description = command.description
        let indentation = "\n" + String(repeating: " ", count: 20)
        var text = "                \(command.name))\(following(command, indentation))"
        text += indentation + "_arguments -S : $common $following"
        if !description.operands.isEmpty {
            text += " \\\n" + String(repeating: " ", count: 24)
            text += quoted("1:\(command.name): _account_values \(command.name)")
        }
        if description.takesFile {
            text += " \\\n" + String(repeating: " ", count: 24)
            text += quoted("1:file:_files")
        }
        for option in description.options {
            text += " \\\n" + String(repeating: " ", count: 24)
            text += specification(option, of: command.name)
        }
        return text + "\n                    ;;"
    }

    // A second place stands there only behind a word that another may follow: a place, even one for
    // which there is nothing to offer, keeps options from being offered.
    private static func following(_ command: Command, _ indentation: String) -> String {
        var text = ""
        for word in command.description.operands where !word.following.isEmpty || word.takesFile {
            let place =
                word.takesFile
                ? "2:file:_files"
                : "2:\(command.name): _account_values \"\(command.name) \(word.name)\""
            text += indentation + "(( ${words[(Ie)\(word.name)]} )) &&"
            text += " following=(\(quoted(place)))"
        }
        return text
    }

    // One word, or for an option with two spellings two, by the shell's own braces.
    private static func specification(_ option: CommandOption, of command: String) -> String {
        let explanation = "[\(escaped(option.summary))]"
        if option.spellings.count > 1 {
            let all = option.spellings
            return "'(\(all.joined(separator: " ")))'{\(all.joined(separator: ","))}"
                + quoted(explanation)
        }
        let rival = option.rival.isEmpty ? "" : "(\(option.rival))"
        let name = rival + option.name
        let value =
            switch option.value {
            case .none: ""
            case .text: ": "
            case .file: ":_files"
            case .directory: ":_path_files -/"
            case .word: ": _account_values \(command)\(option.name)"
            }
        return quoted(
            value.isEmpty
                ? name + explanation : "\(name)=\(explanation):\(option.placeholder)\(value)")
    }

    // What _arguments takes for the end of an explanation.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            if character == "[" || character == "]" || character == "\\" { result += "\\" }
            result.append(character)
        }
        return result
    }

    private static func quoted(_ text: String) -> String {
        let parts = text.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + parts.joined(separator: "'\\''") + "'"
    }
}
