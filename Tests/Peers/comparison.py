"""Runs the comparison and prints its tables."""

import datetime
import os
import subprocess

from figures import aligned, machine, markdown_table
from ours import Ours, OursLocked, Yardstick
import programs
import secrecy
from turns import Turns

YARDSTICK = "reference_client"
OWN = "account token"
ATTEMPTS = 3

TIMES = ("one query", "time", "against the C client", "against account token", "verdict")
MEMORY = ("daemon, idle, with one secret", "anonymous and private dirty", "resident")
COPIES = ("copies of the secret that root finds", "held", "after {queries:,} queries",
          "after deletion", "deleted by")
PROTECTION = ("protection", "locked memory", "the secret may reach the swap", "core dump",
              "ptrace by the same user", "/proc/PID/mem by the same user")


class Comparison:
    """One run: what was measured, and what of it failed."""

    def __init__(self, place, options):
        self.place = place
        self.options = options
        self.is_root = os.geteuid() == 0
        self.rounds, self.queries = (20, 50) if options.quick else (300, 1000)
        self.memory, self.held = {}, {}
        self.tables = []
        self.versions = []
        self.skipped = []
        self.failures = []
        self.checks = 0

    def run(self, kinds):
        """Starts all, looks into each, asks by turns, has each delete its secret, looks again."""
        if self.is_root:
            secrecy.allow_core_dumps()
        self._build()
        print(f"{machine()}; load {os.getloadavg()[0]:.2f}", flush=True)
        ours, locked = Ours(self.place), OursLocked(self.place)
        yardstick = Yardstick(self.place, ours)
        for peer in (ours, locked, yardstick):
            self._start(peer)
        peers = [peer for kind in kinds if self._can_start(peer := kind(self.place))]
        self.versions = [peer.version() for peer in peers]
        self._times(yardstick, ours, peers)
        if self.is_root:
            self._secrecy([ours, locked], peers)
        else:
            self.skipped.append("memory, copies, protection: only root can read another's memory")

    def _build(self):
        for name in ("turns", "reference_client", "reference_server"):
            source = programs.ROOT / "Tests" / "Benchmarks" / f"{name}.c"
            subprocess.run(["cc", "-O2", "-std=gnu17", "-Wall", "-Wextra", "-Werror", source, "-o",
                            self.place.path / name], check=True)
        os.sync()

    def _start(self, peer):
        peer.start()
        if self.is_root:
            self.memory[peer.name] = programs.memory(peer.processes[0])
            self.held[peer.name] = secrecy.look(peer.processes, peer.secret)
        peer.must_answer()

    def _can_start(self, peer):
        try:
            self._start(peer)
            return True
        except (RuntimeError, OSError, subprocess.SubprocessError) as fault:
            self.skipped.append(f"{peer.name}: it does not serve here: {fault}")
            return False

    def _expect(self, condition, what):
        self.checks += 1
        if not condition:
            self.failures.append(what)

    # MARK: Time

    def _turns(self, peers, rounds):
        commands = {}
        for peer in peers:
            for question in peer.questions:
                name = question.name.replace(" ", "-")
                source = self.place.path / f"input-{name}"
                source.write_bytes(question.stdin)
                source.chmod(0o644)
                commands[question.name] = (source, question.words)
        return Turns(self.place.path / "turns", rounds, commands, **self.place.identity)

    def _times(self, yardstick, ours, peers):
        everyone = (yardstick, ours, *peers)
        names = [question.name for peer in peers for question in peer.questions]
        rounds = self.rounds
        for attempt in range(ATTEMPTS):
            turns = self._turns(everyone, rounds)
            sooner = [name for name in names if turns.ratio(name, OWN) <= 1]
            if not sooner or not self.options.check:
                break
            print(f"{', '.join(sooner)}: no slower than {OWN} in {rounds} rounds", flush=True)
            rounds = 300
        rows = []
        for name in (YARDSTICK, OWN, *sorted(names, key=turns.microseconds)):
            against_ours = "" if name in (YARDSTICK, OWN) else f"{turns.ratio(name, OWN):.2f} ×"
            verdict = "" if not against_ours else "SOONER" if name in sooner else "slower"
            rows.append((name, f"{turns.microseconds(name):,.0f} µs",
                         f"{turns.ratio(name, YARDSTICK):.2f} ×", against_ours, verdict))
        self.tables.append((TIMES, rows))
        for name in names:
            self._expect(name not in sooner, f"{name} answers sooner than {OWN}")

    # MARK: Secrecy

    def _secrecy(self, ours, peers):
        memory, copies, protection = [], [], []
        for peer in (*ours, *peers):
            kinds, held = self.memory[peer.name], self.held[peer.name]
            memory.append(
                (peer.name, f"{kinds['own'] / 1e6:.2f} MB", f"{kinds['Rss'] / 1e6:.1f} MB"))
            guard = secrecy.protection(peer.processes)
            self._turns([peer], self.queries)
            asked = secrecy.look(peer.processes, peer.secret)
            peer.forget()
            deleted = secrecy.look(peer.processes, peer.secret)
            peer.must_have_forgotten()
            how = " (encrypted)" if peer.is_encrypted else ""
            copies.append((peer.name, f"{held}{how}", f"{asked}{how}", deleted, peer.deletion))
            protection.append((
                peer.name, f"{guard.locked / 1024:,.0f} KiB", _swap(peer, held, asked),
                _core(guard, held), _attach(guard),
                "readable" if guard.readable else "refused"))
            if peer in ours:
                self._expect_secrecy(peer, held, asked, deleted, guard)
        heading = tuple(text.format(queries=self.queries) for text in COPIES)
        self.tables += [(MEMORY, memory), (heading, copies), (PROTECTION, protection)]

    def _expect_secrecy(self, peer, held, asked, deleted, guard):
        for when, found in (("held", held), ("after the queries", asked)):
            self._expect(found.all <= peer.copies_held and found.is_safe,
                         f"{peer.name}, {when}: {found.all} copies, {found.unlocked} unlocked, "
                         f"{found.dumped} dumped; at most {peer.copies_held}, locked, undumped")
        self._expect(held.all == peer.copies_held, f"{peer.name}: the scan finds {held.all} copies")
        self._expect(deleted.all == 0 and not deleted.has_ended,
                     f"{peer.name}: {deleted} copies after deletion")
        self._expect(not guard.writes_core, f"{peer.name} may write a core")
        self._expect(not guard.attachable, f"{peer.name}: the same user may attach")
        self._expect(not guard.readable, f"{peer.name}: the same user may read its memory")

    # MARK: Report

    def report(self, missing):
        """Prints all. The exit status."""
        for heading, rows in self.tables:
            print("\n" + aligned([heading, *rows]))
        print("\n" + "; ".join(self.versions))
        if self.options.markdown:
            date = datetime.date.today().isoformat()
            print(f"\n{date}, {machine()}; {'; '.join(self.versions)}.")
            for heading, rows in self.tables:
                print("\n" + markdown_table([heading, *rows]))
        for reason in self.skipped:
            print(f"skipped: {reason}")
        for failure in self.failures:
            print(f"FAILED: {failure}")
        print(f"{self.checks - len(self.failures)} passed, {len(self.failures)} failed, "
              f"{missing + len(self.skipped)} skipped")
        return 1 if self.options.check and (self.failures or not self.checks) else 0


def _swap(peer, held, asked):
    if held.unlocked or asked.unlocked:
        return "yes"
    return "encrypted" if peer.is_encrypted else "no"


def _core(guard, held):
    if not guard.writes_core:
        return "none is written"
    return "holds the secret" if held.dumped else "without the secret"


def _attach(guard):
    if guard.attachable is None:
        return "nobody may here"
    return "works" if guard.attachable else "refused"
