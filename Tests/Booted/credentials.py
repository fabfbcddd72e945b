"""A store that the service manager's credential opens: sealed by the machine's key, or by its TPM."""
import os
import shutil

import wire
from container import TPM, TPM_PORT
from machine import CREDENTIAL, KEYS, LISTENER, SERVICE, case, described, until

KEYS_INTERFACE = "org.accountd.Keys"
KEY = f"{KEYS}/key"
LOCKED, NO_DAEMON, REFUSED = 4, 5, 9
# What systemd gives a service whose credentials cannot be had. systemd.exec(5)
NO_CREDENTIALS = "243"
TPM_STATE = "/run/tpm"
TPM_PROGRAMS = ("swtpm", "tpm2_pcrextend", "tpm2_flushcontext")
# The register that credentials are bound to where nothing else is asked for.
SECURE_BOOT_REGISTER = "7:sha256"


def seal(machine, count=32, name="accountd.key", options=("--with-key=host",)):
    """Seals so many random bytes as the README tells, with the options given."""
    machine.must("mkdir", "-p", "-m", "700", os.path.dirname(CREDENTIAL))
    machine.must("sh", "-c", f"head -c {count} /dev/urandom | systemd-creds encrypt "
                 f"{' '.join(options)} --name={name} - {CREDENTIAL}")


def start_tpm(machine):
    """Starts a TPM that nothing was measured into yet, in the place of one that ran."""
    for program in TPM_PROGRAMS:
        if not shutil.which(program):
            machine.skip(f"needs {program} (swtpm, tpm2-tools)")
    if "+TPM2" not in machine.must("systemctl", "--version"):
        machine.skip("this systemd knows no TPM")
    listening = ",".join(("type=tcp", f"port={TPM_PORT}", "bindaddr=127.0.0.1"))
    control = ",".join(("type=tcp", f"port={TPM_PORT + 1}", "bindaddr=127.0.0.1"))
    machine.must("mkdir", "-p", TPM_STATE)
    stop_tpm(machine)
    machine.must("swtpm", "socket", "--tpm2", "--tpmstate", f"dir={TPM_STATE}", "--server",
                 listening, "--ctrl", control, "--flags", "not-need-init,startup-clear",
                 "--pid", f"file={TPM_STATE}/pid", "--daemon")
    machine.room.callback(stop_tpm, machine)
    # As firmware does, so that the register that the credential is bound to has a value.
    measure(machine, "the first boot")


def stop_tpm(machine):
    pid = machine.container.path(f"{TPM_STATE}/pid")
    if os.path.exists(pid):
        machine.run("sh", "-c", f"kill $(cat {TPM_STATE}/pid)")
        until(lambda: not os.path.exists(pid), what="the end of the TPM")


def measure(machine, text):
    digest = machine.must("sh", "-c", f"printf %s '{text}' | sha256sum").split()[0]
    machine.must("tpm2_pcrextend", "-T", TPM, f"{SECURE_BOOT_REGISTER}={digest}")
    for kind in ("-s", "-l", "-t"):
        machine.run("tpm2_flushcontext", "-T", TPM, kind)


def must_open_by_itself(machine, token):
    """After a restart, with a process that has never held the key."""
    machine.restart()
    assert machine.protection() == (["credential"], "present")
    machine.must_have(token)


def is_given_up(machine):
    """systemd has tried to start it as often as it does, each time without the credential."""
    until(lambda: machine.show(SERVICE, "ActiveState") == "failed", what="the last attempt's end")
    assert machine.show(SERVICE, "ExecMainStatus") == NO_CREDENTIALS


def key_file_is_there(machine):
    return os.path.lexists(machine.container.path("/var/lib/private/accountd-key/key"))


@case
def without_a_credential_the_unit_starts_and_makes_a_key_file(machine):
    token = machine.login()
    assert machine.protection() == (["keyfile"], "present") and key_file_is_there(machine)
    machine.restart()
    machine.must_have(token)


@case
def the_first_login_takes_the_credential_and_makes_no_key_file(machine):
    seal(machine)
    token = machine.login()
    assert machine.protection() == (["credential"], "present")
    assert not key_file_is_there(machine)
    must_open_by_itself(machine, token)
    # The daemon's user is none that could read the sealed file, or the machine's key.
    status = machine.container.read(f"proc/{machine.main_pid()}/status")
    uid = int(status.split("Uid:")[1].split()[0])
    assert uid >= 61184, uid
    said = machine.must("account", "--system", "doctor")
    assert "wrong" not in said, said


@case
def a_credential_that_the_tpm_has_sealed_opens_the_store(machine):
    start_tpm(machine)
    machine.drop_in("RestartSec=50ms")
    options = ("--with-key=tpm2", f"--tpm2-device={TPM}", "--tpm2-pcrs=7")
    seal(machine, options=options)
    token = machine.login()
    assert not key_file_is_there(machine)
    must_open_by_itself(machine, token)
    # What was measured is not what it was: the credential is not given, and nothing is made anew.
    measure(machine, "another boot")
    machine.run("systemctl", "restart", SERVICE)
    is_given_up(machine)
    assert machine.account("token").returncode == NO_DAEMON
    start_tpm(machine)
    machine.systemctl("reset-failed", SERVICE, LISTENER)
    machine.systemctl("start", LISTENER)
    must_open_by_itself(machine, token)


@case
def without_its_credential_the_store_is_locked_and_says_which_it_is(machine):
    seal(machine)
    token = machine.login()
    machine.must("mv", CREDENTIAL, f"{CREDENTIAL}.away")
    machine.restart()
    result = machine.account("token")
    assert result.returncode == LOCKED and "hint: " in result.stderr, described(result)
    findings = machine.call("Verify")["findings"]
    assert any("LoadCredentialEncrypted=" in finding for finding in findings), findings
    assert not key_file_is_there(machine)
    # A login by mistake makes no other key.
    response = '{"access_token":"2.00NotTaken","uid":"9900000001","expires_in":86400}'
    assert machine.account("login", given=response).returncode == LOCKED
    machine.must("mv", f"{CREDENTIAL}.away", CREDENTIAL)
    must_open_by_itself(machine, token)


@case
def another_credential_leaves_the_store_locked(machine):
    seal(machine)
    token = machine.login()
    machine.must("mv", CREDENTIAL, f"{CREDENTIAL}.away")
    seal(machine)
    machine.restart()
    assert machine.account("token").returncode == LOCKED
    findings = machine.call("Verify")["findings"]
    assert any("is not the one that opens this store" in each for each in findings), findings
    machine.must("mv", f"{CREDENTIAL}.away", CREDENTIAL)
    must_open_by_itself(machine, token)


@case
def a_credential_that_was_sealed_under_another_name_is_not_given(machine):
    seal(machine, name="other.key")
    machine.drop_in("RestartSec=50ms")
    result = machine.account("check")
    assert result.returncode == NO_DAEMON and "systemctl" in result.stderr, described(result)
    is_given_up(machine)
    assert not key_file_is_there(machine)
    seal(machine)
    machine.systemctl("reset-failed", SERVICE, LISTENER)
    machine.systemctl("start", LISTENER)
    token = machine.login()
    must_open_by_itself(machine, token)


@case
def a_credential_of_another_size_is_named_and_nothing_is_made(machine):
    for count in (0, 31, 33, 64):
        seal(machine, count)
        machine.restart()
        response = '{"access_token":"2.00NotTaken","uid":"9900000001","expires_in":86400}'
        result = machine.account("login", given=response)
        assert result.returncode == REFUSED, described(result)
        assert f"has {count} bytes; a key has 32" in result.stderr, described(result)
        assert "credential" in result.stderr, described(result)
        assert machine.protection() == ([], "empty")
        assert not key_file_is_there(machine)


@case
def a_credential_beside_a_key_file_opens_the_store_alone(machine):
    token = machine.login()
    with_nothing = "org.accountd.Account.InvalidField"
    try:
        machine.call(f"{KEYS_INTERFACE}.AddSlot", {"kind": "credential"})
        raise AssertionError("a credential was added that there is not")
    except wire.Refused as refused:
        assert refused.name == with_nothing, refused
    seal(machine)
    machine.restart()
    machine.call(f"{KEYS_INTERFACE}.AddSlot", {"kind": "credential"})
    assert machine.protection() == (["keyfile", "credential"], "present")
    # Either of them opens it without the other.
    machine.must("mv", KEY, f"{KEY}.away")
    machine.restart()
    machine.must_have(token)
    machine.must("mv", f"{KEY}.away", KEY)
    machine.must("mv", CREDENTIAL, f"{CREDENTIAL}.away")
    machine.restart()
    machine.must_have(token)
    machine.must("mv", f"{CREDENTIAL}.away", CREDENTIAL)
    # Without the key file's slot a key file opens nothing.
    slots = machine.call(f"{KEYS_INTERFACE}.ListSlots")["slots"]
    slot = next(each["id"] for each in slots if each["kind"] == "keyfile")
    machine.restart()
    machine.call(f"{KEYS_INTERFACE}.RemoveSlot", {"id": slot})
    must_open_by_itself(machine, token)
    machine.must("mv", CREDENTIAL, f"{CREDENTIAL}.away")
    machine.restart()
    assert machine.account("token").returncode == LOCKED


@case
def a_users_unit_takes_a_plain_credential(machine):
    # A sealed one a user's manager cannot open: it needs the machine's key.
    user = "alice"
    machine.user_manager(user)
    place = f"/home/{user}/.credential"
    machine.must("sh", "-c", f"umask 077; head -c 32 /dev/urandom >{place};"
                 f"chown {user}: {place}")
    drop_in = "etc/systemd/user/accountd.service.d/test.conf"
    path = machine.container.path(drop_in)
    machine.container.write(drop_in, f"[Service]\nLoadCredential=accountd.key:{place}\n")
    machine.room.callback(lambda: os.path.exists(path) and os.unlink(path))
    machine.as_user(user, "systemctl", "--user", "daemon-reload")
    token = machine.login(user=user)
    assert machine.protection(user) == (["credential"], "present")
    assert not os.path.exists(machine.container.path(f"/home/{user}/.config/account/key"))
    machine.as_user(user, "systemctl", "--user", "restart", SERVICE)
    machine.must_have(token, user=user)
