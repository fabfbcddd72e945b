"""The three shells, each with the completion installed where the shell looks for it.

Each class answers two questions by the shell's own machinery, on a terminal:

    candidates(line)   the words that are offered at the line's `|`, with their descriptions where
                       the shell shows some; at the end of the line without a `|`
    completed(line)    the line once the completion's key was pressed there
"""

import pathlib
import re

from terminal import Terminal

# Keys that no shell uses in its line editor as we start it.
DUMP, LIST = "\x18d", "\x18l"
LEFT = "\x02"
CLEAR = "\x18u"
MARKER = "<<%d>>"


class Shell:
    """What the three have in common: typing, moving the cursor, reading the line back."""

    def __init__(self, home, share):
        self.home = pathlib.Path(home)
        self.share = pathlib.Path(share)
        self.count = 0
        self.line_file = self.home / "line"
        self.environment = {
            "HOME": str(home), "PATH": f"{home}/bin:/usr/bin:/bin", "TERM": "xterm",
            "LANG": "C.UTF-8", "XDG_DATA_DIRS": f"{share}:/usr/share",
            "XDG_CONFIG_HOME": f"{home}/.config", "XDG_DATA_HOME": f"{home}/.local/share",
        }
        self.prepare()
        self.terminal = Terminal(self.command, self.environment, self.home / "work")
        self.sync()

    def end(self):
        self.terminal.end()

    def sync(self):
        """Has the shell show a marker once it has done all keys before; gives what came before."""
        self.count += 1
        self.terminal.send(DUMP)
        return self.terminal.read_until(MARKER % self.count)

    def type(self, line):
        """Types a line; the cursor ends where `|` stands in it."""
        before, _, after = line.partition("|")
        self.terminal.send(CLEAR + before + after + LEFT * len(after))
        self.sync()

    def completed(self, line):
        self.type(line)
        self.terminal.send("\t")
        self.sync()
        return self.line_file.read_text()

    def write(self, name, text):
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path


class Bash(Shell):
    """bash: what the completion function replies is written down on its way to readline."""

    package = "bash-completion"
    settings = ""

    def prepare(self):
        self.reply = self.home / "reply"
        load = (f". /usr/share/bash-completion/bash_completion\n_completion_loader account\n"
                if self.package else f". {self.share}/bash-completion/completions/account\n")
        rc = self.write("bashrc", load + rf"""
PS1='> ' count=0
{self.settings}
bind 'set enable-bracketed-paste off'
bind 'set bell-style none'
bind 'set completion-query-items 0'
bind 'set page-completions off'
bind 'set completion-display-width 0'
dump() {{ printf %s "$READLINE_LINE" >{self.line_file}; printf '<<%d>>\n' $((++count)); }}
bind -x '"\C-xd": dump'
bind '"\C-xl": possible-completions'
bind '"\C-xu": kill-whole-line'
eval "original_$(declare -f _account)"
_account() {{
    original__account "$@"
    local status=$?
    printf '%s\n' "${{COMPREPLY[@]}}" >{self.reply}
    return $status
}}
""")
        self.command = ["bash", "--noprofile", "--rcfile", str(rc), "-i"]

    def candidates(self, line):
        """What the function offers; file names, which readline adds, come from its list."""
        for _ in range(2):
            self.type(line)
            self.reply.unlink(missing_ok=True)
            self.terminal.send(LIST)
            shown = self.sync()
            # After a completion that failed readline inserts a single match and lists nothing.
            if self.line_file.read_text() == line.replace("|", ""):
                break
        offered = self.reply.read_text().split("\n") if self.reply.exists() else []
        offered = [word for word in offered if word]
        if len(offered) != len(set(offered)):
            raise AssertionError(f"a word is offered twice: {offered}")
        return dict.fromkeys(offered) or self.listed(shown)

    @staticmethod
    def listed(shown):
        """What readline lists, one a line; nothing where it shows the edited line alone."""
        rows = [row.strip() for row in shown.split("\n")[1:] if not row.startswith("> ")]
        return dict.fromkeys(row for row in rows if row)


class PlainBash(Bash):
    """bash without the package bash-completion, as after `source <(account completion bash)`."""

    package = None


class WholeBash(PlainBash):
    """bash that parts words at white space alone, as some have it for the sake of other programs."""

    settings = "COMP_WORDBREAKS=${COMP_WORDBREAKS//[=:]/}"


class Zsh(Shell):
    """zsh: what its list shows on the terminal."""

    is_sourced = False

    def prepare(self):
        functions = f"{self.share}/zsh/site-functions"
        self.write(".zshrc", rf"""
{"" if self.is_sourced else f"fpath=({functions} $fpath)"}
PS1='> ' count=0 LISTMAX=10000
unsetopt beep prompt_sp
bindkey -e
zstyle ':completion:*' list-separator --
autoload -Uz compinit
compinit -u -d {self.home}/.zcompdump
{f"source {functions}/_account" if self.is_sourced else ""}
dump() {{ print -rn -- "$BUFFER" >{self.line_file}; print "<<$((++count))>>"; zle reset-prompt }}
zle -N dump
bindkey '^Xd' dump '^Xl' list-choices '^Xu' kill-whole-line
""")
        self.environment["ZDOTDIR"] = str(self.home)
        self.command = ["zsh", "-d", "-i"]

    def candidates(self, line):
        self.type(line)
        self.terminal.send(LIST)
        found = {}
        for row in re.split(r"[\n\r]", self.sync())[1:]:
            names, separator, description = row.partition(" -- ")
            # The line that is being edited is shown again below the list.
            typed = line.replace("|", "").strip()
            if not row.strip() or row.strip("\b ").startswith((">", typed)):
                continue
            for name in re.split(r"\s{2,}", names.strip()):
                name = re.sub(r"\\(.)", r"\1", name)
                if name in found:
                    raise AssertionError(f"{name} is listed twice")
                found[name] = description.strip() if separator else None
        return found


class SourcedZsh(Zsh):
    """zsh as after `source <(account completion zsh)`."""

    is_sourced = True


class Fish(Shell):
    """fish: `complete -C` says what it offers; the keys are tried on a terminal."""

    def prepare(self):
        self.listing = self.home / "listing"
        self.write(".config/fish/config.fish", rf"""
set -g fish_greeting
set -g count 0
function fish_prompt; printf '> '; end
function fish_mode_prompt; end
function dump
    commandline >{self.line_file}.new
    string join \n -- (cat {self.line_file}.new) | string collect | tr -d '\n' >{self.line_file}
    set -g count (math $count + 1)
    printf '<<%d>>\n' $count
end
function list
    complete -C (commandline -c) >{self.listing}
end
bind \cxd dump
bind \cxl list
bind \cxu kill-whole-line
bind \cb backward-char
""")
        self.command = ["fish", "-i"]

    def candidates(self, line):
        self.type(line)
        self.terminal.send(LIST)
        self.sync()
        found = {}
        for row in self.listing.read_text().splitlines():
            name, _, description = row.partition("\t")
            if name in found:
                raise AssertionError(f"{name} is offered twice")
            found[name] = description or None
        return found
