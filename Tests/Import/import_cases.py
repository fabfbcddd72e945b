"""What becomes of files, by the program."""

import json
import os
import shutil
import subprocess

from cases import alone, case
from client import Home
from vectors import MEMORY_KIB, SECONDS, hostile, load, measured
import wire


def shown(home):
    return json.loads(home.account("show", "--json").must_be(0).out)


@case
def each_account_of_each_accepted_file_is_stored_and_its_token_given_out(room):
    home = Home(room)
    count = 0
    for vector in load():
        if not vector.is_accepted:
            continue
        for account in vector.accounts:
            several = ["--uid", account["uid"]] if len(vector.accounts) > 1 else []
            # A name and an avatar that are stored of the same user stay.
            if count:
                home.account("logout").must_be(0)
            home.account("import", str(vector.path), *several).must_be(0)
            stored = shown(home)
            where = vector.path.name
            for name in ("uid", "screen_name", "avatar_large"):
                assert stored[name] == account[name], (where, name, stored)
            assert stored["expires_at"] == int(account["expires_unix"]), (where, stored)
            text = home.account("export", "--format", "json", "--output", "-",
                                "--i-understand").must_be(0).out
            exported = json.loads(text)
            assert exported["access_token"] == account["access_token"], where
            assert exported.get("refresh_token") == account.get("refresh_token"), where
            count += 1
    assert count > 40, count


@case
def each_rejected_file_says_why_with_exit_8_and_starts_no_daemon(room):
    home = Home(room)
    for vector in load():
        if vector.is_accepted:
            continue
        run = home.account("import", str(vector.path)).must_be(8, "")
        assert f"rejected ({vector.reason}): " in run.err, (vector.path.name, run.err)
        assert "2.00" not in run.err, run.err
    assert home.daemons() == []


@case
def a_dry_run_shows_what_would_be_stored_and_neither_the_token_nor_a_daemon(room):
    home = Home(room)
    for vector in load():
        if not vector.is_accepted or len(vector.accounts) > 1:
            continue
        account = vector.accounts[0]
        shown = json.loads(home.account(
            "import", str(vector.path), "--dry-run", "--json").must_be(0).out)
        assert shown["uid"] == account["uid"], (vector.path.name, shown)
        assert shown["expires_at"] == int(account["expires_unix"]), (vector.path.name, shown)
        for secret in ("access_token", "refresh_token"):
            if isinstance(account.get(secret), str):
                assert account[secret] not in json.dumps(shown), vector.path.name
        text = home.account("import", str(vector.path), "--dry-run").must_be(0).out
        assert account["uid"] in text and account["access_token"] not in text
    assert home.daemons() == []


@case
@alone
def a_hostile_file_is_refused_within_a_second_and_64_MiB_and_changes_nothing(room):
    home = Home(room)
    token = home.login()
    before = shown(home)
    slowest, largest = (0, ""), (0, "")
    files = hostile()
    assert len(files) > 70, len(files)
    for vector in files:
        words = [home.programs / "account", "import", vector.path, "--replace"]
        cost = min((measured(words, home.environment) for _ in range(3)),
                   key=lambda cost: cost.seconds)
        name = vector.path.name
        assert cost.status == 8, (name, cost)
        assert cost.reason == vector.reason, (name, cost)
        assert cost.seconds < SECONDS, (name, cost)
        assert cost.kib < MEMORY_KIB, (name, cost)
        slowest = max(slowest, (cost.seconds, name))
        largest = max(largest, (cost.kib, name))
    print(f"  slowest {slowest[0] * 1000:.0f} ms ({slowest[1]}), "
          f"largest {largest[0] / 1024:.1f} MiB ({largest[1]})", flush=True)
    now = shown(home)
    assert {**now, "remaining": 0} == {**before, "remaining": 0}
    assert home.account("token").must_be(0).out.strip() == token


@case
def another_account_that_is_stored_stays_unless_it_is_to_be_replaced(room):
    home = Home(room)
    token = home.login()
    seed = str(next(vector.path for vector in load("archives")))
    run = home.account("import", seed).must_be(8, "")
    assert "another account is stored already: uid 9900001001" in run.err, run.err
    assert home.account("token").must_be(0).out.strip() == token
    home.account("import", seed, "--replace").must_be(0)
    assert shown(home)["uid"] == "9900000001"


@case
def the_expiry_that_a_file_lacks_is_taken_from_the_command_line(room):
    home = Home(room)
    path = next(str(vector.path) for vector in load("archives") if "04_" in vector.path.name)
    home.account("import", path).must_be(8)
    run = home.account("import", path, "--issued-at", "2026-01-01T00:00:00Z").must_be(0)
    assert "2030-12-30T23:59:59Z" in run.out, run.out
    stored = shown(home)
    assert (stored["issued_at"], stored["expires_in"]) == (1767225600, 157679999), stored
    home.account("import", path, "--expires-at", "2035-01-01T00:00:00Z").must_be(0)
    assert shown(home)["expires_date"] == "2035-01-01T00:00:00Z"


@case
def the_options_of_every_command_are_passed_on(room):
    daemon = room.daemon()
    home = Home(room)
    seed = str(next(vector.path for vector in load("archives")))
    home.account("--socket", str(daemon.socket), "import", seed).must_be(0)
    assert home.daemons() == []
    assert json.loads(json.dumps(daemon.call("GetAccount")))["account"]["uid"] == "9900000001"
    run = home.account("import", seed, "--socket", "/nonexistent/socket").must_be(5)
    assert "/nonexistent/socket" in run.err, run.err
    home.account("import", "--help").must_be(0)
    home.account("--help", "import").must_be(0)


@case
def what_makes_no_sense_is_said_with_exit_2(room):
    home = Home(room)
    for words in (["import"], ["import", "a", "b"], ["import", "a", "--nonsense"],
                  ["import", "a", "--expires-at", "soon"], ["import", "--expires-in"],
                  ["import", "a", "--json"],
                  ["export"], ["export", "--output", "-"], ["export", "--i-understand"],
                  ["export", "--output", "-", "--i-understand", "--format", "xml"],
                  ["export", "--output", "-", "--i-understand", "--keys", "token"],
                  ["export", "--output", "-", "--i-understand", "--class-name", "A"],
                  ["export", "--output", "-", "--i-understand", "--format", "nskeyedarchiver",
                   "--class-name", "NSDate"]):
        run = home.account(*words)
        if words[-1] == "NSDate":
            assert run.status == 3, run
            home.login()
            run = home.account(*words)
        assert run.status == 2, (words, run)
        assert run.out == "", run
    assert home.account("import", "/nonexistent/file").must_be(9).err.count("ENOENT") == 1


@case
def where_the_program_is_missing_that_is_said(room):
    home = Home(room)
    place = room.place("bin-")
    shutil.copy(home.programs / "account", place / "account")
    run = home.run([str(place / "account"), "import", "x"])
    if os.path.exists("/usr/libexec/account-import"):
        return
    assert run.status == 9 and "account-import, which is not installed" in run.err, run
    libexec = place.parent / "libexec"
    libexec.mkdir()
    for name in ("account-import", "accountd"):
        shutil.copy(home.programs / name, libexec / name)
    seed = next(vector.path for vector in load("archives"))
    home.run([str(place / "account"), "import", str(seed)]).must_be(0)


@case
def run_by_itself_the_program_says_whose_it_is(room):
    home = Home(room)
    for words in ([], ["token"], ["--nonsense"]):
        run = home.run([str(home.programs / "account-import"), *words])
        assert run.status == 2 and "account import" in run.err, (words, run)


@case
def a_full_disk_is_a_failure_of_a_dry_run(room):
    home = Home(room)
    seed = str(next(vector.path for vector in load("archives")))
    with open("/dev/full", "w", encoding="utf-8") as full:
        run = subprocess.run([home.programs / "account", "import", seed, "--dry-run"],
                             env=home.environment, stdout=full, stderr=subprocess.PIPE,
                             text=True, check=False)
    assert run.returncode == 9 and "ENOSPC" in run.stderr, run


@case
def a_made_up_token_of_another_length_is_kept(room):
    home = Home(room)
    token = wire.made_up_token() * 100
    path = room.path / "model.json"
    path.write_text(json.dumps({"access_token": token, "uid": "5",
                                "expires_date": "2035-01-01T00:00:00Z"}), encoding="utf-8")
    home.account("import", str(path)).must_be(0)
    assert home.account("token").must_be(0).out.strip() == token
