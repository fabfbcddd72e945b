"""Callers that run in units of their own: services, timers, cron, a service manager's children.

They find the right daemon or say what to do; none starts a daemon that would live and die with the
job, and none lets the daemon speak to the manager that watches the job.
"""
import os
import shutil

from machine import USERS, case, described, until

USER, OTHER = "alice", "bob"
NO_DAEMON, NO_ACCOUNT = 5, 3
# A job has everything of its own that a daemon might mistake for what is meant for it.
OWN = ("--property=StateDirectory=job", "--property=RuntimeDirectory=job",
       "--property=WatchdogSec=20", "--property=NotifyAccess=all")
CRON_TIMEOUT = 20.0


def job(machine, user, *words, options=()):
    """Runs a command as a transient service of the system, as a user."""
    return machine.run("systemd-run", "--quiet", "--wait", "--pipe", "--collect",
                       f"--property=User={user}", *OWN, *options, *words)


@case
def a_system_service_of_a_user_finds_the_daemon_of_the_session(machine):
    machine.user_manager(USER)
    token = machine.login(user=USER)
    result = job(machine, USER, "account", "token")
    assert (result.returncode, result.stdout.strip()) == (0, token), described(result)


@case
def a_system_service_of_a_user_has_the_manager_start_it(machine):
    machine.user_manager(USER)
    result = job(machine, USER, "account", "check")
    assert result.returncode == NO_ACCOUNT, described(result)
    groups = [each["group"] for each in machine.daemons(USER)]
    assert len(groups) == 1 and groups[0].endswith("/app.slice/accountd.service"), groups


@case
def without_a_manager_it_says_what_to_do_and_that_helps(machine):
    machine.room.callback(machine.forget, OTHER)
    result = job(machine, OTHER, "account", "check")
    assert result.returncode == NO_DAEMON, described(result)
    assert "loginctl enable-linger" in result.stderr and "--system" in result.stderr, result.stderr
    assert machine.daemons(OTHER) == []
    machine.must("loginctl", "enable-linger", OTHER)
    machine.wait_for_manager(OTHER)
    result = job(machine, OTHER, "account", "check")
    assert result.returncode == NO_ACCOUNT, described(result)


@case
def a_store_that_is_named_has_a_hint_that_helps(machine):
    machine.room.callback(machine.forget, OTHER)
    store = f"/home/{OTHER}/store"
    result = job(machine, OTHER, "account", "--state", store, "check")
    assert result.returncode == NO_DAEMON, described(result)
    hint = result.stderr.split("accountd ")[-1].replace("'", "").split()
    machine.must("systemd-run", "--quiet", "--unit=named", f"--property=User={OTHER}",
                 "/usr/libexec/accountd", *hint)
    machine.room.callback(machine.run, "systemctl", "stop", "named.service")
    until(lambda: os.path.exists(machine.container.path(f"{store}/socket")), what="the socket")
    result = job(machine, OTHER, "account", "--state", store, "check")
    assert result.returncode == NO_ACCOUNT, described(result)


@case
def a_service_without_a_home_is_told_of_the_systems_daemon(machine):
    result = machine.run("systemd-run", "--quiet", "--wait", "--pipe", "--collect",
                         "--property=DynamicUser=yes", *OWN, "account", "check")
    assert result.returncode != 0 and "--system" in result.stderr, described(result)
    result = machine.run("systemd-run", "--quiet", "--wait", "--pipe", "--collect", *OWN,
                         "account", "--system", "check")
    assert result.returncode == NO_ACCOUNT, described(result)


@case
def a_user_service_finds_or_starts_the_unit(machine):
    machine.user_manager(USER)
    words = ("systemd-run", "--user", "--quiet", "--wait", "--pipe", "--collect", *OWN,
             "account", "check")
    result = machine.as_user(USER, *words)
    assert result.returncode == NO_ACCOUNT, described(result)
    groups = [each["group"] for each in machine.daemons(USER)]
    assert len(groups) == 1 and groups[0].endswith("/accountd.service"), groups


@case
def a_timer_of_a_user_finds_it(machine):
    machine.user_manager(USER)
    token = machine.login(user=USER)
    place = f"/home/{USER}/token"
    result = machine.as_user(
        USER, "systemd-run", "--user", "--quiet", "--on-active=0",
        "--timer-property=AccuracySec=1ms", "sh", "-c",
        f"umask 077; account token >{place}.new; mv {place}.new {place}")
    assert result.returncode == 0, described(result)
    path = machine.container.path(place)
    machine.room.callback(lambda: os.path.exists(path) and os.unlink(path))
    until(lambda: os.path.exists(path), what="the timer's job")
    assert machine.container.read(place).strip() == token


@case
def the_jobs_manager_hears_nothing_from_the_daemon(machine):
    # The job hides that it is a unit, so that the daemon is started in its control group, and lets
    # everybody in it notify. What the daemon said there would make the job look ready.
    machine.room.callback(machine.forget, OTHER)
    result = machine.run(
        "systemd-run", "--quiet", "--unit=teller", "--property=Type=notify", *OWN,
        "--property=TimeoutStartSec=2", f"--property=User={OTHER}",
        "sh", "-c", "env -u INVOCATION_ID account check; sleep 10")
    machine.room.callback(machine.run, "systemctl", "reset-failed", "teller.service")
    assert result.returncode != 0, "the job became ready by what the daemon said"
    said = "\n".join(machine.messages_of("teller.service"))
    assert "no account is stored" in said, said
    assert "start operation timed out" in said and "Serving" not in said, said


@case
def what_was_passed_to_the_job_is_not_taken_for_the_daemons(machine):
    # exec keeps the process id, so that LISTEN_PID is that of the client itself.
    machine.room.callback(machine.forget, OTHER)
    machine.container.write("etc/systemd/system/job.socket",
                            "[Socket]\nListenStream=/run/job.socket\n")
    machine.container.write(
        "etc/systemd/system/job.service",
        f"[Service]\nUser={OTHER}\nStandardOutput=file:/run/job.out\nStandardError=inherit\n"
        "ExecStart=/usr/bin/env -u INVOCATION_ID account check\nSuccessExitStatus=3\n")
    for name in ("job.socket", "job.service"):
        machine.room.callback(os.unlink, machine.container.path(f"etc/systemd/system/{name}"))
    machine.systemctl("daemon-reload")
    machine.room.callback(machine.run, "systemctl", "stop", "job.socket", "job.service")
    machine.systemctl("start", "job.socket")
    machine.systemctl("start", "job.service")
    # The manager makes the file, some time after it has said that the job is started.
    answer = machine.container.path("run/job.out")
    until(lambda: os.path.exists(answer) and "no account" in machine.container.read("run/job.out"),
          what="the client's answer")
    link = machine.container.path(f"/home/{OTHER}/.local/state/account/socket")
    assert not os.path.islink(link), os.readlink(link)


@case
def a_cron_job_finds_the_session_or_starts_its_own(machine):
    if not shutil.which("cron", path="/usr/sbin:/sbin"):
        machine.skip("needs cron")
    place = f"/home/{USER}/said"
    path = machine.container.path(place)
    machine.forget(USER)
    machine.room.callback(machine.forget, USER)
    machine.room.callback(machine.run, "systemctl", "stop", "cron.service")
    machine.room.callback(lambda: os.path.exists(path) and os.unlink(path))
    # Not the jobs of the machine whose root this is.
    machine.must("bash", "-c", "rm -rf /etc/crontab /etc/cron.d/* /var/spool/cron/crontabs/*")
    # cron runs such a job when it starts, and not within a minute.
    table = machine.container.path(f"var/spool/cron/crontabs/{USER}")
    machine.container.write(f"var/spool/cron/crontabs/{USER}", (
        f"@reboot account check >{place}.new 2>&1; env >>{place}.new; mv {place}.new {place}\n"),
        mode=0o600)
    os.chown(table, USERS[USER], USERS[USER])
    machine.room.callback(os.unlink, table)

    def run():
        if os.path.exists(path):
            os.unlink(path)
        # It remembers that this boot's jobs were run.
        machine.run("rm", "-f", "/run/crond.reboot")
        machine.systemctl("restart", "cron.service")
        until(lambda: os.path.exists(path), CRON_TIMEOUT, "the job")
        return machine.container.read(place)

    said = run()
    assert "no account is stored" in said, said
    assert "XDG_RUNTIME_DIR" not in said and "INVOCATION_ID" not in said, said
    token = machine.login(user=USER, runtime=False)
    machine.user_manager(USER)
    machine.must_have(token, user=USER)
    for each in machine.daemons(USER):
        machine.signal(each["pid"], 9)
    # With a session the manager starts it.
    said = run()
    assert "valid: " in said, said
    groups = [each["group"] for each in machine.daemons(USER)]
    assert len(groups) == 1 and groups[0].endswith("/accountd.service"), groups
