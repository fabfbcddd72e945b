"""How closed the units are, as systemd sees them in the booted machine."""
import re

from machine import SERVICE, case

# Exposures of at most 10 that `systemd-analyze security` may print.
SYSTEM_BOUND = 1.0
# A user manager cannot take capabilities away, and what it would do with namespaces would hide the
# uids of peers: that is nearly all of what is left.
USER_BOUND = 6.0


def exposure(text):
    """The figure at the end, and what raises it most."""
    overall = float(re.search(r"Overall exposure level .*: ([0-9.]+)", text)[1])
    open_points = re.findall(r"^- (\S+) .* ([0-9.]+) *$", text, re.MULTILINE)
    return overall, [name.rstrip("=") for name, _ in open_points]


@case
def the_system_unit_is_as_closed_as_it_should_be(machine):
    machine.systemctl("start", SERVICE)
    overall, points = exposure(machine.must("systemd-analyze", "security", "--no-pager", SERVICE))
    print(f"exposure of the system's unit: {overall} of 10, at most {SYSTEM_BOUND}; open: "
          f"{', '.join(points)}")
    assert overall <= SYSTEM_BOUND


@case
def the_user_unit_is_as_closed_as_it_can_be(machine):
    machine.user_manager("alice")
    result = machine.as_user("alice", "systemd-analyze", "--user", "security", "--no-pager",
                             SERVICE)
    assert result.returncode == 0, result.stderr
    overall, points = exposure(result.stdout)
    kinds = sorted({re.sub(r"=?~.*", "", point) for point in points})
    print(f"exposure of the user's unit: {overall} of 10, at most {USER_BOUND}; open: "
          f"{', '.join(kinds)}")
    assert overall <= USER_BOUND
