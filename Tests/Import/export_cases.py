"""What is written for apps, and who reads it."""

import datetime
import json
import os
import plistlib
import stat

from cases import Skip, case
from client import Home
from vectors import load

FORMATS = ("plist", "nskeyedarchiver", "json")


def accounts():
    for vector in load():
        if vector.is_accepted:
            for account in vector.accounts:
                choice = ["--uid", account["uid"]] if len(vector.accounts) > 1 else []
                yield vector.path, account, choice


def everything(home):
    """What the daemon holds, both tokens included, but for what passes with time."""
    return json.loads(home.account("export", "--format", "json", "--output", "-",
                                   "--i-understand").must_be(0).out)


@case
def import_of_an_export_gives_the_same_account_for_every_archive(room):
    home = Home(room)
    count = 0
    for path, _, choice in accounts():
        home.account("import", str(path), *choice, "--replace").must_be(0)
        before = everything(home)
        for form in FORMATS:
            out = room.path / f"{count}.{form}"
            home.account("export", "--format", form, "--output", str(out),
                         "--i-understand").must_be(0)
            home.account("logout").must_be(0)
            home.account("import", str(out)).must_be(0)
            assert everything(home) == before, (path.name, form)
        count += 1
    assert count > 40, count


@case
def python_reads_what_is_exported(room):
    home = Home(room)
    for path, account, choice in accounts():
        if home.daemons():
            home.account("logout").must_be(0)
        home.account("import", str(path), *choice).must_be(0)
        out = room.path / path.name
        home.account("export", "--output", str(out), "--i-understand").must_be(0)
        read = plistlib.loads(out.read_bytes())
        assert read["access_token"] == account["access_token"], path.name
        assert read["uid"] == account["uid"] and read.get("screen_name") == account["screen_name"]
        expires = datetime.datetime(1970, 1, 1) + datetime.timedelta(
            seconds=int(account["expires_unix"]))
        assert read["expires_date"] == expires, (path.name, read)
        out.unlink()


@case
def bpylist2_reads_an_exported_archive(room):
    try:
        from bpylist2 import archiver
    except ImportError:
        raise Skip("needs bpylist2") from None

    class Account:
        """The app's class."""
        KEYS = ("access_token", "uid", "screen_name", "avatar_large", "expires_date")

        @staticmethod
        def decode_archive(archive):
            return {key: archive.decode(key) for key in Account.KEYS}

    archiver.update_class_map({"SinaWeibo.ZFSinaUserAccount": Account})
    home = Home(room)
    for path, account, choice in accounts():
        if home.daemons():
            home.account("logout").must_be(0)
        home.account("import", str(path), *choice).must_be(0)
        out = room.path / path.name
        home.account("export", "--format", "nskeyedarchiver", "--output", str(out),
                     "--i-understand").must_be(0)
        read = archiver.unarchive(out.read_bytes())
        for key in Account.KEYS[:-1]:
            assert read[key] == account[key], (path.name, key, read)
        date = read["expires_date"]
        seconds = date.timestamp() if isinstance(date, datetime.datetime) else date
        assert seconds == int(account["expires_unix"]), (path.name, date)
        out.unlink()


@case
def the_file_is_for_its_owner_alone_and_nothing_is_overwritten_unasked(room):
    home = Home(room)
    token = home.login()
    out = room.path / "account.plist"
    words = ["export", "--output", str(out), "--i-understand"]
    run = home.account(*words, prepare=lambda: os.umask(0)).must_be(0)
    assert token not in run.out + run.err
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    out.write_bytes(b"precious")
    run = home.account(*words).must_be(9, "")
    assert "EEXIST" in run.err and "--force" in run.err, run.err
    assert out.read_bytes() == b"precious"
    out.chmod(0o644)
    home.account(*words, "--force").must_be(0)
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert token.encode() in out.read_bytes()
    assert sorted(path.name for path in room.path.iterdir() if path.is_file()) == ["account.plist"]


@case
def a_symbolic_link_is_replaced_and_what_it_leads_to_left_alone(room):
    home = Home(room)
    home.login()
    target, link = room.path / "target", room.path / "link"
    target.write_bytes(b"precious")
    link.symlink_to(target)
    words = ["export", "--output", str(link), "--i-understand"]
    home.account(*words).must_be(9)
    home.account(*words, "--force").must_be(0)
    assert target.read_bytes() == b"precious" and not link.is_symlink()


@case
def where_no_file_can_be_made_none_is_left(room):
    home = Home(room)
    home.login()
    for path in ("/nonexistent/a", str(room.path), "/proc/a"):
        for force in ([], ["--force"]):
            home.account("export", "--output", path, "--i-understand", *force).must_be(9, "")


@case
def without_an_account_there_is_nothing_to_export(room):
    home = Home(room)
    out = room.path / "out"
    home.account("export", "--output", str(out), "--i-understand").must_be(3, "")
    assert not out.exists()


@case
def the_keys_and_the_class_of_an_app_are_written(room):
    home = Home(room)
    token = home.login(None, "--screen-name", "N")
    text = home.account(
        "export", "--format", "json", "--output", "-", "--i-understand", "--keys",
        "access_token=accessToken,uid=userID,screen_name").must_be(0).out
    assert json.loads(text) == {"accessToken": token, "userID": "9900001001", "screen_name": "N"}
    out = room.path / "a"
    home.account("export", "--format", "nskeyedarchiver", "--class-name", "App.Model", "--keys",
                 "refresh_token,access_token=t", "--output", str(out),
                 "--i-understand").must_be(0)
    objects = plistlib.loads(out.read_bytes())["$objects"]
    assert objects[1]["refresh_token"] == plistlib.UID(0), objects
    assert objects[objects[1]["t"].data] == token
    assert objects[objects[1]["$class"].data]["$classname"] == "App.Model"
