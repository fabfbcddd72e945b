/// The script for bash. bash(1), "Programmable Completion"
enum BashCompletion {
    /// All of it.
    static var script: String {
        """
        # Completion of account for bash, as `account completion bash` prints it.
        # It looks at the command line alone: it runs no program, account least of all.

        # Sets `options` to what a command takes, `operands` to the words that may follow it, and
        # `files` where a file may.
        _account_command() {
            options=(\(optionNames(GlobalOptions.all)))
            operands=() files=''
            case $1 in
        \(Command.listed.map(branch).joined(separator: "\n"))
                *) return 1 ;;
            esac
        }

        # Sets `operands` to the words that may follow one of those, and `files` where a file may.
        _account_following() {
            operands=() files=''
            case "$1 $2" in
        \(following.joined(separator: "\n"))
            esac
        }

        # Sets `kind` to what follows an option of a command, and `values` to it where it is a word.
        _account_value() {
            kind=none values=()
            case "$1 $2" in
        \(Self.values.joined(separator: "\n"))
            esac
        }

        # Sets `rival` to the option that makes no sense beside another.
        _account_rival() {
            rival=''
            case $1 in
        \(rivals.joined(separator: "\n"))
            esac
        }

        \(machine)
        """
    }

    private static func optionNames(_ options: [CommandOption]) -> String {
        options.flatMap { $0.spellings }.joined(separator: " ")
    }

    private static func branch(_ command: Command) -> String {
        let description = command.description
        var line = "        \(command.name)) "
        if !description.options.isEmpty {
            line += "options+=(\(optionNames(description.options))) "
        }
        if !description.operands.isEmpty {
            line += "operands=(\(description.operands.map(\.name).joined(separator: " "))) "
        }
        if description.takesFile { line += "files=yes " }
        return line + ";;"
    }

    // One line for each word that others may follow.
    private static var following: [String] {
        var lines: [String] = []
        for command in Command.listed {
            for word in command.description.operands
            where !word.following.isEmpty || word.takesFile {
                let names = word.following.map(\.name).joined(separator: " ")
                let files = word.takesFile ? " files=yes" : ""
                lines.append(
                    "        '\(command.name) \(word.name)') operands=(\(names))\(files) ;;")
            }
        }
        return lines
    }

    // One line for each option that has a value.
    private static var values: [String] {
        var lines: [String] = []
        for option in GlobalOptions.all where option.value != .none {
            lines.append("        *' \(option.name)') \(value(of: option)) ;;")
        }
        for command in Command.listed {
            for option in command.description.options where option.value != .none {
                lines.append("        '\(command.name) \(option.name)') \(value(of: option)) ;;")
            }
        }
        return lines
    }

    private static func value(of option: CommandOption) -> String {
        switch option.value {
        case .none: "kind=none"
        case .text: "kind=text"
        case .file: "kind=file"
        case .directory: "kind=directory"
        case .word: "kind=word values=(\(option.words.map(\.name).joined(separator: " ")))"
        }
    }

    private static var rivals: [String] {
        var lines: [String] = []
        for option in GlobalOptions.all + Command.listed.flatMap(\.description.options)
        where !option.rival.isEmpty {
            lines.append("        \(option.name)) rival=\(option.rival) ;;")
        }
        return lines
    }

    // What is the same whatever the commands.
    private static let machine = #"""
        # Sets `words` to the words before the cursor, without their quotes, and `current` to what
        # stands of the last one. The shell takes words apart at = and : too; here they are whole.
        _account_words() {
            local index part gap offset=0 start=0
            words=()
            for ((index = 0; index <= COMP_CWORD; index++)); do
                part=${COMP_WORDS[index]}
                gap=${COMP_LINE:offset}
                gap=${gap%%[![:space:]]*}
                if [[ $index -eq 0 || -n $gap ]]; then
                    words+=("")
                    ((offset += ${#gap}, start = offset))
                fi
                words[${#words[@]} - 1]+=${part//[\"\'\\]/}
                ((offset += ${#part}))
            done
            ((start <= COMP_POINT)) || start=$COMP_POINT
            current=${COMP_LINE:start:COMP_POINT - start}
            current=${current//[\"\'\\]/}
            unset 'words[${#words[@]} - 1]'
        }

        # Offers those of the words that begin as the current one does.
        _account_offer() {
            local word
            for word in "$@"; do
                [[ $word != "$current"* ]] || COMPREPLY+=("$word")
            done
        }

        # Offers what may follow an option.
        _account_offer_value() {
            local kind values
            _account_value "$1" "$2"
            case $kind in
                file) compopt -o default ;;
                directory) compopt -o dirnames ;;
                word) _account_offer "${values[@]}" ;;
            esac
        }

        _account() {
            local words current options operands word option='' command='' ended='' operand='' more=''
            local kind values rival left files='' given=' '
            COMPREPLY=()
            _account_words
            for word in "${words[@]:1}"; do
                if [[ -n $option ]]; then
                    option=''
                elif [[ -z $ended && $word == -- ]]; then
                    ended=yes
                elif [[ -z $ended && $word == -?* ]]; then
                    _account_rival "${word%%=*}"
                    given+="${word%%=*} $rival "
                    _account_value "$command" "$word"
                    [[ $kind == none ]] || option=$word
                elif [[ -z $command ]]; then
                    command=$word
                elif [[ -z $operand ]]; then
                    operand=$word
                else
                    more=yes
                fi
            done

            if [[ -n $option ]]; then
                _account_offer_value "$command" "$option"
                return
            fi
            if [[ -z $ended && $current == --*=* ]]; then
                option=${current%%=*}
                current=${current#*=}
                _account_offer_value "$command" "$option"
                # Where the shell does not part words at = it replaces the whole word.
                [[ $COMP_WORDBREAKS == *=* ]] || COMPREPLY=("${COMPREPLY[@]/#/$option=}")
                return
            fi
            if [[ -z $command ]]; then
                _account_command help
            else
                _account_command "$command" || return
            fi
            [[ -z $operand ]] || _account_following "$command" "$operand"
            [[ -z $more ]] || operands=() files=''
            if [[ -n $files && (-n $ended || $current != -*) ]]; then
                compopt -o default
                return
            fi
            # Where nothing else can stand, options are offered before their dash is typed.
            if [[ -z $ended && ($current == -* || -z $current && ${#operands[@]} -eq 0) ]]; then
                left=()
                for word in "${options[@]}"; do
                    [[ $given == *" $word "* ]] || left+=("$word")
                done
                _account_offer "${left[@]}"
            else
                _account_offer "${operands[@]}"
            fi
        }

        complete -F _account account

        """#
}
