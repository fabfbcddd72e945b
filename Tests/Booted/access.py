"""Who may ask the system's daemon for what, and what the journal says of it."""
from machine import SERVICE, USERS, case, described

OPTIONS = 'Environment="ACCOUNTD_OPTIONS=--readers weibo --observers monitoring"'
# By role: the user, and the exit status of each command. Root stands for the owner.
QUERIES = ("status", "check", "expires", "show", "token", "header", "doctor", "logout")
PERMITTED = {
    "bob": {"status", "check", "expires", "show", "token", "header"},
    "carol": {"status", "check", "expires"},
    "dave": set(),
}
NOT_PERMITTED = 6
INTERFACE = "org.accountd.Account"


@case
def each_role_may_do_what_the_readme_says(machine):
    machine.drop_in(OPTIONS)
    token = machine.login()
    for user, permitted in PERMITTED.items():
        for command in QUERIES:
            result = machine.account(command, "--system", user=user)
            wanted = 0 if command in permitted else NOT_PERMITTED
            assert result.returncode == wanted, f"{user} {command}: {described(result)}"
            assert (token in result.stdout) == (wanted == 0 and command in ("token", "header"))
            if wanted:
                assert "hint: " in result.stderr, described(result)
        response = '{"access_token":"2.00NotTaken","uid":"1","expires_in":86400}'
        result = machine.account("login", "--system", user=user, given=response)
        assert result.returncode == NOT_PERMITTED, described(result)
    machine.must_have(token)


@case
def a_service_with_the_group_gets_the_token(machine):
    # The unit of README.md, "A daemon for the machine".
    machine.drop_in(OPTIONS)
    token = machine.login()
    given = machine.must(
        "systemd-run", "--quiet", "--wait", "--pipe", "--property=DynamicUser=yes",
        "--property=SupplementaryGroups=weibo", "--property=StateDirectory=job",
        "--setenv=ACCOUNT_SOCKET=/run/accountd/socket", "account", "token")
    assert given.strip() == token
    refused = machine.run(
        "systemd-run", "--quiet", "--wait", "--pipe", "--property=DynamicUser=yes",
        "--setenv=ACCOUNT_SOCKET=/run/accountd/socket", "account", "token")
    assert refused.returncode == NOT_PERMITTED, described(refused)


@case
def access_is_recorded_with_structure_and_without_values(machine):
    machine.drop_in(OPTIONS)
    token = machine.login()
    assert machine.account("token", "--system", user="bob").returncode == 0
    assert machine.account("token", "--system", user="carol").returncode == NOT_PERMITTED
    assert machine.account("check", "--system", user="dave").returncode == NOT_PERMITTED
    machine.systemctl("stop", SERVICE)
    records = [record for record in machine.journal(f"--since=@{machine.began:.3f}",
                                                    f"_SYSTEMD_UNIT={SERVICE}")
               if "ACCOUNTD_METHOD" in record]
    seen = {(int(record["ACCOUNTD_UID"]), record["ACCOUNTD_METHOD"], record["ACCOUNTD_VERDICT"],
             record["ACCOUNTD_EXE"], record["ACCOUNTD_COUNT"]) for record in records}
    for wanted in [
            (0, f"{INTERFACE}.Login", "answered", "account", "1"),
            (USERS["bob"], f"{INTERFACE}.GetToken", "answered", "account", "1"),
            (USERS["carol"], f"{INTERFACE}.GetToken", "denied", "account", "1"),
            # A stranger's call is refused unread.
            (USERS["dave"], "unknown", "denied", "account", "1")]:
        assert wanted in seen, (wanted, seen)
    for record in records:
        assert record["SYSLOG_IDENTIFIER"] == "accountd" and record["PRIORITY"] == "6"
        assert int(record["ACCOUNTD_PID"]) > 0
        assert token not in str(record)
    # What README.md tells to ask the journal for.
    asked = machine.must("journalctl", "--no-pager", f"--since=@{machine.began:.3f}",
                         "--output=cat", "-u", "accountd",
                         f"ACCOUNTD_METHOD={INTERFACE}.GetToken").splitlines()
    assert len(asked) == 2, asked
