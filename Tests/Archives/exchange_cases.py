"""Programs that use the library, each in a process of its own."""

import os
import pathlib

import programs
from cases import Skip, case
from shelf import Shelf
from users import at_once

RESTORED = "Dictionary<String, Place>\nthe same\n"


def program():
    """Archives what it restores in another process."""
    place = os.environ.get("EXCHANGE_BIN") or programs.ROOT / ".build" / "debug"
    path = pathlib.Path(place).absolute() / "archive-exchange"
    if not path.is_file():
        raise Skip(f"{path} is missing: swift build --product archive-exchange")
    return path


def exchange(shelf, action, *words):
    """What it prints."""
    return shelf.run([str(program()), action, str(shelf.state), *words])


@case
def what_one_process_archives_another_restores_that_only_registered_the_types(room):
    shelf = Shelf(room)
    exchange(shelf, "archive").must_be(0, "")
    exchange(shelf, "restore").must_be(0, RESTORED)
    assert "places" in shelf.names()
    # By the daemon's keys until here, and by the key file where none runs.
    shelf.end_daemon()
    exchange(shelf, "restore").must_be(0, RESTORED)
    exchange(shelf, "archive").must_be(0, "")
    assert shelf.daemons() == []
    shelf.account("key", "rotate").must_be(0)
    exchange(shelf, "restore").must_be(0, RESTORED)
    assert shelf.slots()["retired"] == []


@case
def a_program_is_told_that_the_store_is_locked_and_asks_nobody(room):
    shelf = Shelf(room)
    exchange(shelf, "archive").must_be(0, "")
    shelf.account("key", "add", "passphrase", "--passphrase-fd", "0", input="made up").must_be(0)
    exchange(shelf, "restore").must_be(0, RESTORED)
    shelf.account("lock").must_be(0)
    told = exchange(shelf, "restore")
    assert told.status == 1 and told.err == f"{shelf.state} is locked\n", told
    shelf.end_daemon()
    told = exchange(shelf, "restore")
    assert told.status == 1 and told.err == f"{shelf.state} is locked\n", told
    assert shelf.daemons() == []


@case
def programs_and_commands_share_one_draft_box_and_lose_no_draft(room):
    shelf = Shelf(room)
    exchange(shelf, "draft", "1").must_be(0, "")

    def by_library():
        exchange(shelf, "draft", "5").must_be(0, "")
        return True

    def by_command():
        for number in range(5):
            shelf.draft("add", "--title", str(number)).must_be(0)
        return True

    assert len(at_once([by_library, by_command] * 4)) == 8
    drafts = shelf.drafts()
    assert len(drafts) == 41 and len({draft["id"] for draft in drafts}) == 41
    shelf.must_be_tidy()
