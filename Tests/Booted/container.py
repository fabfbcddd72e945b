"""A really booted systemd, as PID 1 of a throw-away container over this machine's root.

    alone()
    container = Container()
    container.prepare()
    container.boot()
    container.run("systemctl", "is-system-running")

`alone()` gives the caller a mount and a process namespace of its own, in which everything stands:
when the caller ends, however it ends, the kernel unmounts what was mounted and kills what ran. What
is left then is an empty control group, which the next run removes.
"""
import contextlib
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time

NEEDED_PROGRAMS = ("systemd-nspawn", "nsenter", "unshare", "mount", "/usr/lib/systemd/systemd")
CGROUPS = "/sys/fs/cgroup"
# Every machine has it, and in a mount namespace of our own nobody misses what is there.
PLACE = "/mnt"
CGROUP_PREFIX = "accountd-booted-"
BOOT_TIMEOUT = 30.0
END_TIMEOUT = 10.0
COMMAND_TIMEOUT = 30.0
POLL = 0.02
SPACE = "256m"
# Within the container, whose network is its own.
TPM_PORT = 2321
TPM = f"swtpm:host=127.0.0.1,port={TPM_PORT}"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# An empty control group is another run's for so long, which has just made it; then it is litter.
STALE_SECONDS = 60

# Nothing that this machine has enabled is started: only what the tests speak to.
TARGET = """\
[Unit]
Requires=basic.target
Wants=dbus.service systemd-logind.service systemd-user-sessions.service
After=basic.target dbus.service systemd-logind.service systemd-user-sessions.service
AllowIsolate=yes
"""
# Timers and services that basic.target would bring along and that only cost time.
MASKED = ("apt-daily.timer", "apt-daily-upgrade.timer", "dpkg-db-backup.timer", "e2scrub_all.timer",
          "man-db.timer", "fstrim.timer", "systemd-tmpfiles-clean.timer",
          "systemd-timesyncd.service",
          "systemd-firstboot.service", "systemd-update-utmp.service", "ldconfig.service",
          "systemd-hwdb-update.service", "systemd-journal-catalog-update.service",
          "systemd-update-done.service", "systemd-sysusers.service", "systemd-networkd.service",
          "systemd-resolved.service", "networking.service", "ifupdown-wait-online.service")


def missing():
    """Why no container can be booted here; None when one can."""
    if os.geteuid() != 0:
        return "booting a container needs root"
    absent = [program for program in NEEDED_PROGRAMS if not shutil.which(program)]
    if absent:
        return "not installed: " + ", ".join(absent) + " (systemd-container, systemd, dbus)"
    with open("/proc/filesystems", encoding="ascii") as file:
        known = file.read().split()
    for kind in ("overlay", "cgroup2", "tmpfs"):
        if kind not in known:
            return f"this kernel has no {kind}"
    return None


def alone():
    """Runs this program again in namespaces of its own, unless it is there already."""
    if os.environ.get("BOOTED_ALONE") and os.getpid() == 1:
        return
    os.environ["BOOTED_ALONE"] = "yes"
    os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", "--pid", "--fork",
                          "--kill-child", "--mount-proc", sys.executable, *sys.argv])


def remove_cgroup(path):
    """Removes an empty control group and those within it."""
    for folder, _, _ in os.walk(path, topdown=False):
        with contextlib.suppress(OSError):
            os.rmdir(folder)


def remove_stale_cgroups():
    """Removes what runs left behind that were killed."""
    for name in os.listdir(CGROUPS):
        path = f"{CGROUPS}/{name}"
        if name.startswith(CGROUP_PREFIX) and time.time() - os.stat(path).st_mtime > STALE_SECONDS:
            with open(f"{path}/cgroup.events", encoding="ascii") as file:
                if "populated 0" in file.read():
                    remove_cgroup(path)


class Container:
    """The container. `path(name)` is where a file of its root stands outside of it."""

    def __init__(self):
        self.root = f"{PLACE}/root"
        # Not by the process id, which in a namespace of its own is always the same.
        self.cgroup = f"{CGROUPS}/{CGROUP_PREFIX}{secrets.token_hex(4)}"
        self.nspawn = None
        self.leader = None
        self.boot_seconds = None

    def prepare(self):
        """Lays the root: a writable layer over that of this machine."""
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SPACE},mode=755", "booted",
                        PLACE], check=True)
        # Temporary directories vanish with the rest, then.
        tempfile.tempdir = f"{PLACE}/rooms"
        for name in ("upper", "work", "root", "rooms"):
            os.mkdir(f"{PLACE}/{name}")
        subprocess.run(["mount", "-t", "overlay", "overlay", "-o",
                        f"lowerdir=/,upperdir={PLACE}/upper,workdir={PLACE}/work",
                        self.root], check=True)
        # systemd wants one tree of control groups; this machine may have several.
        subprocess.run(["umount", "--recursive", CGROUPS], check=False, stderr=subprocess.DEVNULL)
        subprocess.run(["mount", "-t", "cgroup2", "cgroup2", CGROUPS], check=True)
        remove_stale_cgroups()
        units = "etc/systemd/system"
        self.write(f"{units}/test.target", TARGET)
        for unit in MASKED:
            self.link("/dev/null", f"{units}/{unit}")
        self.write("etc/machine-id", "")
        self.write("etc/systemd/journald.conf.d/test.conf",
                   "[Journal]\nStorage=persistent\nRateLimitBurst=0\n")
        os.makedirs(self.path("var/log/journal"), exist_ok=True)

    def path(self, name):
        """Where a file of the container is: before it is booted, and after."""
        root = f"/proc/{self.leader}/root" if self.leader else self.root
        return f"{root}/{name.lstrip('/')}"

    def write(self, name, text, mode=0o644):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        # Not through a link, which would lead out of the container.
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)

    def rewrite(self, name, text):
        """Gives a file that is there another content, and leaves its mode and owner."""
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name):
        with open(self.path(name), encoding="utf-8", errors="replace") as file:
            return file.read()

    def link(self, target, name):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        os.symlink(target, path)

    def boot(self):
        """Boots, and waits until everything that belongs to it runs."""
        os.mkdir(self.cgroup)
        start = time.monotonic()

        def before():
            os.setsid()
            with open(f"{self.cgroup}/cgroup.procs", "w", encoding="ascii") as file:
                file.write(str(os.getpid()))

        with open(f"{PLACE}/console", "wb") as console:
            self.nspawn = subprocess.Popen(
                ["systemd-nspawn", "--quiet", "--boot", "--directory", self.root,
                 "--machine=booted", "--register=no", "--keep-unit",
                 "--private-network", "--link-journal=no", "--settings=no",
                 # What containers usually may not, and the units ask for: locked memory.
                 "--capability=CAP_IPC_LOCK", "--system-call-filter=memfd_secret",
                 # The service manager asks this TPM, once a case has started it.
                 f"--setenv=SYSTEMD_TPM2_DEVICE={TPM}",
                 "systemd.unit=test.target", "systemd.show_status=no"],
                stdin=subprocess.DEVNULL, stdout=console, stderr=console, preexec_fn=before)
        deadline = start + BOOT_TIMEOUT
        while time.monotonic() < deadline:
            if self.nspawn.poll() is not None:
                raise RuntimeError(f"systemd-nspawn ended:\n{self.console()}")
            if not self.leader:
                self.leader = self._find_leader()
            elif self._is_up():
                self.boot_seconds = time.monotonic() - start
                return
            time.sleep(POLL)
        raise RuntimeError(f"not booted within {BOOT_TIMEOUT} s:\n{self.console()}")

    def console(self):
        with open(f"{PLACE}/console", encoding="utf-8", errors="replace") as file:
            return file.read()

    def _find_leader(self):
        with open(f"/proc/{self.nspawn.pid}/task/{self.nspawn.pid}/children",
                  encoding="ascii") as file:
            for pid in file.read().split():
                with contextlib.suppress(OSError), open(f"/proc/{pid}/comm",
                                                        encoding="ascii") as name:
                    if name.read().strip() == "systemd":
                        return int(pid)
        return None

    def _is_up(self):
        if not os.path.exists(self.path("run/systemd/private")):
            return False
        state = self.run("systemctl", "is-system-running").stdout.strip()
        return state in ("running", "degraded")

    def command(self, *words, user=None, environment=None):
        """The words by which a program is run inside, and what it has for its environment."""
        enter = ["nsenter", "--target", str(self.leader), "--mount", "--uts", "--ipc", "--net",
                 "--pid", "--cgroup", "--root", "--wd", "--"]
        names = {"PATH": PATH, "TERM": "dumb", "HOME": "/root", "USER": "root", "LC_ALL": "C"}
        if user:
            enter += ["setpriv", "--reuid", user, "--regid", user, "--init-groups",
                      "--reset-env"]
        names.update(environment or {})
        return [*enter, "env", "-i", *(f"{name}={value}" for name, value in names.items()),
                *words]

    def start(self, *words, user=None, environment=None, **options):
        """Starts a program inside, as PID 1's own children are: in the container's groups."""

        def before():
            # The bus and the login manager look a caller up by its control group.
            with open(f"{self.cgroup}/payload/init.scope/cgroup.procs", "w",
                      encoding="ascii") as file:
                file.write(str(os.getpid()))

        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        return subprocess.Popen(self.command(*words, user=user, environment=environment),
                                preexec_fn=before, text=True, errors="replace", **options)

    def run(self, *words, user=None, environment=None, given=None, timeout=COMMAND_TIMEOUT):
        """Runs a program inside to its end; gives its status, output and errors."""
        process = self.start(*words, user=user, environment=environment,
                             stdin=subprocess.PIPE if given is not None else subprocess.DEVNULL)
        try:
            output, errors = process.communicate(given, timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            output, errors = process.communicate()
            raise TimeoutError(f"{' '.join(words)} took more than {timeout} s: {errors}") from None
        return subprocess.CompletedProcess(words, process.returncode, output, errors)

    def end(self):
        """Powers the container off, by force where it does not end by itself."""
        if self.nspawn:
            if self.leader and self.nspawn.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self.leader, signal.SIGRTMIN + 14)  # power off at once. systemd(1)
            try:
                self.nspawn.wait(END_TIMEOUT)
            except subprocess.TimeoutExpired:
                self.nspawn.kill()
                self.nspawn.wait()
            self.nspawn = None
        deadline = time.monotonic() + END_TIMEOUT
        while os.path.isdir(self.cgroup) and time.monotonic() < deadline:
            remove_cgroup(self.cgroup)
            time.sleep(POLL)
        self.leader = None
