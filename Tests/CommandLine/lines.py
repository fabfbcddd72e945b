"""Half-typed lines, and what is offered at `|`, or at the end where there is none.

What is expected is made from the program's own help: `commands`, `common` (the long options that
every command takes), `own` (those of one command). A set in braces is those words and no others.
"""

FILES = {"made up response.json", "response.json", "it's here.json"}
DIRECTORIES = {"a folder", "store"}


def table(account):
    """Topics, each with its lines."""
    commands = set(account.commands)
    common = set(account.options)
    short = {"-h"}

    def own(command):
        return set(account.own[command])

    def words(command, option):
        return set(account.own[command][option].words)

    places = FILES | {name + "/" for name in DIRECTORIES}
    folders = {name + "/" for name in DIRECTORIES}
    return {
        "commands are offered where one may stand": [
            ("account ", commands),
            ("account to", {"token"}),
            ("account log", {"login", "logout"}),
            ("account lo", {"login", "logout", "lock"}),
            ("account e", {"export", "expires", "exit-codes"}),
            ("account --system ", commands),
            ("account --system to", {"token"}),
            ("account --socket /x to", {"token"}),
            ("account --socket=/x to", {"token"}),
            ("account --timeout 5 --no-input st", {"status"}),
            ("account -- to", {"token"}),
        ],
        "a value that looks like a command is none": [
            ("account --state token sh", {"show"}),
            ("account --socket show token --js", {"--json"}),
            ("account --state 'token' sh", {"show"}),
        ],
        "the options of every command are offered before one": [
            ("account -", common | short),
            ("account --", common),
            ("account --s", {"--socket", "--system", "--state"}),
            ("account --timeout 5 --t", set()),
        ],
        "a command's own options are offered with those of every command": [
            *((f"account {name} --", own(name) | common) for name in account.commands),
            *((f"account {name} -", own(name) | common | short) for name in account.commands),
            ("account --system token --m", {"--min-validity"}),
            ("account login --expires-", {"--expires-in", "--expires-at"}),
            ("account token --format", set()),
        ],
        "an option that is given is not offered again, nor one that it excludes": [
            ("account token --json --", (own("token") | common) - {"--json"}),
            ("account token --min-validity 1h --m", set()),
            ("account token --min-validity=1h --m", set()),
            ("account --state /x token --st", set()),
            ("account --socket /x token --s", {"--state"}),
            ("account token --system --s", {"--state"}),
            ("account login --expires-in 1d --expires-", set()),
            ("account unlock --passphrase-fd 3 --pass", set()),
            ("account key add passphrase --passphrase-file x --pass", set()),
            ("account draft edit 1 --no-pictures --pict", set()),
            ("account draft edit 1 --original-photo --no-o", set()),
        ],
        "the words that an option takes are offered as its value": [
            ("account check --format ", words("check", "--format")),
            ("account export --format ", words("export", "--format")),
            ("account check --format=", words("check", "--format")),
            ("account check --format j", {"json"}),
            ("account check --format=j", {"json"}),
            ("account check --format q", set()),
            ("account expires --format ", words("expires", "--format")),
            ("account expires --format=r", {"rfc3339", "relative"}),
            ("account --timeout 5 expires --format u", {"unix"}),
        ],
        "nothing is offered where only the user knows": [
            ("account --timeout ", set()),
            ("account token --min-validity ", set()),
            ("account token --min-validity=", set()),
            ("account login --uid ", set()),
            ("account unlock --passphrase-fd ", set()),
            ("account logout --if-uid ", set()),
            ("account archive import --as ", set()),
            ("account draft add --title ", set()),
        ],
        "files are offered where one is wanted": [
            ("account login --from ", places),
            ("account login --from re", {"response.json"}),
            ("account login --from=re", {"response.json"}),
            ("account login --from m", {"made up response.json"}),
            ("account login --from nothing", set()),
            ("account --socket ", places),
            ("account unlock --passphrase-file ", places),
            ("account key recovery --code-file re", {"response.json"}),
            ("account import ", places),
            ("account import re", {"response.json"}),
            ("account import --dry-run re", {"response.json"}),
            ("account import -- re", {"response.json"}),
            ("account import response.json re", set()),
            ("account export --output re", {"response.json"}),
            ("account archive import ", places),
            ("account archive import re", {"response.json"}),
            ("account archive import --as x --key y re", {"response.json"}),
            ("account archive --dry-run import re", {"response.json"}),
            ("account archive import response.json re", set()),
            ("account archive put re", set()),
            ("account archive get x --output re", {"response.json"}),
            ("account draft import re", {"response.json"}),
            ("account draft show re", set()),
            ("account draft add --picture re", {"response.json"}),
            ("account draft edit 1 --text=re", {"response.json"}),
            ("account token --socket st", {"store/"}),
            ("account token --socket store/", {"socket"}),
        ],
        "directories alone are offered where one is wanted": [
            ("account --state ", folders),
            ("account token --state ", folders),
            ("account token --state=st", {"store/"}),
            ("account --state re", set()),
            ("account draft export 1 --output ", folders),
        ],
        "the words that may follow a command are offered once": [
            ("account help ", commands),
            ("account help to", {"token"}),
            ("account help token to", set()),
            ("account completion ", set(account.operands("completion"))),
            ("account completion z", {"zsh"}),
            ("account completion zsh f", set()),
            ("account key ", set(account.operands("key"))),
            ("account key r", {"remove", "rotate", "recovery"}),
            ("account key rotate l", set()),
            ("account key add ", {"passphrase", "credential", "keyfile", "recovery"}),
            ("account key add r", {"recovery"}),
            ("account key --keep-keyfile add pass", {"passphrase"}),
            ("account key add recovery k", set()),
            ("account key remove k", set()),
            ("account archive ", set(account.operands("archive"))),
            ("account archive re", {"remove", "restore", "reseal"}),
            ("account archive --json l", {"list"}),
            ("account archive get l", set()),
            ("account draft ", set(account.operands("draft"))),
            ("account draft e", {"edit", "export"}),
            ("account draft --title x a", {"add"}),
            ("account draft remove a", set()),
            ("account token to", set()),
        ],
        "no option is offered after two dashes": [
            ("account token -- ", set()),
            ("account token -- -", set()),
            ("account token -- --", set()),
            ("account help -- to", {"token"}),
        ],
        "nothing is offered with a command that is not known": [
            ("account frobnicate ", set()),
            ("account frobnicate --", set()),
            ("account frobnicate to", set()),
            ("account q", set()),
            ("account frobnicate --format ", set()),
        ],
        "quotes and spaces in an argument do not confuse it": [
            ("account login --screen-name 'made up' --re", {"--replace"}),
            ('account login --screen-name "made up" --re', {"--replace"}),
            ("account login --screen-name made\\ up --re", {"--replace"}),
            ("account login --screen-name \"it's\" --re", {"--replace"}),
            ("account login --from 'made up response.json' --re", {"--replace"}),
            ("account login --screen-name 微博用户 --re", {"--replace"}),
            ("account login --issued-at 2026-01-08T00:00:00Z --re", {"--replace"}),
            ("account --state a:b=c to", {"token"}),
        ],
        "the middle of a line is completed as its end is": [
            ("account to| --json", {"token"}),
            ("account | --json", commands),
            ("account token --mi| --json", {"--min-validity"}),
            ("account check --format | --quiet", words("check", "--format")),
            ("account check --format j| --quiet", {"json"}),
            ("account --socket /x to| --json", {"token"}),
        ],
        "what stands before the command's name does not confuse it": [
            ("true; account to", {"token"}),
            ("A=1 account to", {"token"}),
            ("true && account check --format j", {"json"}),
        ],
    }


def undashed(account):
    """Lines in which nothing but an option may stand, though no dash is typed yet."""
    common = set(account.options) | {"-h"}
    return [
        ("account token ", set(account.own["token"]) | common),
        ("account exit-codes ", common),
        ("account help token ", common),
        ("account completion bash ", common),
        ("account key remove ", set(account.own["key"]) | common),
        ("account key add recovery ", set(account.own["key"]) | common),
        ("account archive get ", set(account.own["archive"]) | common),
        ("account archive import response.json ", set(account.own["archive"]) | common),
        ("account draft show ", set(account.own["draft"]) | common),
        ("account token --json --min-validity 5 ", common | {"--no-newline"}),
    ]


# Lines, and what they are once the key was pressed. A space at the end is the shell's, which says
# that the word is whole.
COMPLETED = [
    ("account to", "account token "),
    ("account to| --json", "account token --json"),
    ("account token --no-n", "account token --no-newline "),
    ("account check --format j", "account check --format json "),
    ("account check --format=j", "account check --format=json "),
    ("account login --from re", "account login --from response.json "),
    ("account login --from=re", "account login --from=response.json "),
    ("account login --from m", r"account login --from made\ up\ response.json "),
    ("account login --from=m", r"account login --from=made\ up\ response.json "),
    ('account login --from "m', 'account login --from "made up response.json" '),
    ("account login --from 'm", "account login --from 'made up response.json' "),
    ("account login --from i", r"account login --from it\'s\ here.json "),
    ("account --state a", r"account --state a\ folder/"),
    ("account frobnicate to", "account frobnicate to"),
    ("account token --timeout re", "account token --timeout re"),
]
