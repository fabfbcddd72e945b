"""Counts what was checked and keeps what failed."""


class Findings:
    def __init__(self, verbose, quiet=False):
        self.verbose = verbose
        self.quiet = quiet
        self.checks = 0
        self.failures = []
        self.skipped = []

    def expect(self, condition, what, detail=""):
        self.checks += 1
        if condition:
            if self.verbose:
                print(f"  ok: {what}", flush=True)
            return
        text = f"{what}: {detail}" if detail else what
        self.failures.append(text)
        if not self.quiet and len(self.failures) <= 50:
            print(f"  FAILED: {text}", flush=True)

    def skip(self, reason):
        self.skipped.append(reason)
        print(f"  skipped: {reason}", flush=True)

    def take(self, other):
        """Counts what was found elsewhere."""
        self.checks += other.checks
        self.failures += other.failures
        self.skipped += other.skipped

    def summary(self):
        return f"{self.checks} checks, {len(self.failures)} failed, {len(self.skipped)} skipped"

    def finish(self):
        print(self.summary())
        return 1 if self.failures or not self.checks else 0
