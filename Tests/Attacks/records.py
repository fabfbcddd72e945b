"""Access records on standard error and in the journal, and programs whose names are no names."""

import os
import re
import shutil
import socket
import time

from cases import case, needs_program, needs_root
from client import Home, response

RECORD = re.compile(
    r"access: uid=\d+ pid=\d+ exe=[!-~]+ method=[\w.]+ verdict=[a-z-]+ count=\d+")
HOSTILE = "a\nACCOUNTD_VERDICT=denied uid=0 \x1b[2J\x9b\udcff"
# Everything a caller sends.
SENT = "2.00SentByTheCaller"
FIELDS = {"MESSAGE", "PRIORITY", "SYSLOG_IDENTIFIER", "ACCOUNTD_UID", "ACCOUNTD_PID",
          "ACCOUNTD_EXE", "ACCOUNTD_METHOD", "ACCOUNTD_VERDICT", "ACCOUNTD_COUNT"}


def ask_in_many_ways(room, daemon):
    """Calls that are answered, refused and malformed, by a program with a hostile name."""
    home = Home(room)
    program = room.place() / HOSTILE
    shutil.copy(home.programs / "account", program)
    home.environment["ACCOUNT_SOCKET"] = str(daemon.socket)
    home.run([str(program), "login"], input=response(SENT, screen_name=SENT + "\n\x1b")).must_be(0)
    for words in (["token"], ["show"], ["check"], ["expires"], ["logout"], ["token"]):
        home.run([str(program), *words])
    for method in ("Nothing", SENT, f"{SENT}\nx", "org.accountd.Account.\x1b[2J"):
        daemon.ask(method, **{SENT: SENT})
    daemon.ask("Login", access_token=SENT + "\n", uid=SENT, screen_name=SENT * 100)
    for data in (SENT.encode() + b"\n\0", b'{"method":"' + SENT.encode() + b'\n"}\0', b"\xff\0"):
        with daemon.connect() as peer:
            peer.sendall(data)
            while peer.recv(4096):
                pass
    time.sleep(1.2)  # A record is written a second after its call at the latest.
    daemon.status()


@case
def records_on_standard_error_are_lines_of_plain_words(room):
    log = room.path / "access"
    with open(log, "ab") as stream:
        daemon = room.daemon(verbose=True, stderr=stream)
    ask_in_many_ways(room, daemon)
    daemon.end()
    text = log.read_bytes()
    records = text.decode("ascii").splitlines()
    wrong = [line for line in records if not RECORD.fullmatch(line.removeprefix("accountd: "))]
    assert not wrong, wrong
    assert SENT not in text.decode("ascii")
    for word in ("verdict=answered", "verdict=no-account", "verdict=malformed", "method=unknown"):
        assert word in text.decode("ascii"), (word, records)
    assert any("ACCOUNTD_VERD" in line for line in records), "the name is not shown"


def journal_fields(datagram):
    """The fields of one record. systemd's "Native Journal Protocol" """
    fields = []
    while datagram:
        line, datagram = datagram.split(b"\n", 1)
        name, equals, value = line.partition(b"=")
        if not equals:
            size = int.from_bytes(datagram[:8], "little")
            value, datagram = datagram[8:8 + size], datagram[8 + size + 1:]
        fields.append((name.decode("ascii"), value))
    return fields


@case
def records_in_the_journal_have_their_own_fields_and_no_others(room):
    needs_root()
    needs_program("unshare")
    place = room.place()
    (place / "journal").mkdir()
    journal = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    room.callback(journal.close)
    journal.bind(str(place / "journal/socket"))
    journal.settimeout(0.2)
    log = place / "log"
    with open(log, "ab") as stream:
        status = os.fstat(stream.fileno())
        # A /run of the daemon's own, in which the journal's socket is this one.
        script = (f"mount -t tmpfs none /run && mkdir -p /run/systemd/journal && "
                  f"mount --bind {place}/journal /run/systemd/journal && exec \"$@\"")
        daemon = room.daemon(
            wrapper=["unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh"],
            same_process=True, stderr=stream,
            environment={"JOURNAL_STREAM": f"{status.st_dev}:{status.st_ino}"})
    ask_in_many_ways(room, daemon)
    records = []
    try:
        while True:
            records.append(journal_fields(journal.recv(65_536)))
    except TimeoutError:
        pass
    daemon.end()
    assert len(records) > 5, (records, log.read_text())
    for record in records:
        names = [name for name, _ in record]
        assert len(names) == len(set(names)) and set(names) == FIELDS, names
        fields = dict(record)
        assert RECORD.fullmatch(fields["MESSAGE"].decode("ascii")), fields
        assert all(re.fullmatch(b"[!-~]+", fields[name]) for name in FIELDS - {"MESSAGE"}), fields
        assert int(fields["ACCOUNTD_UID"]) == os.geteuid(), fields
        assert SENT not in str(record), record
