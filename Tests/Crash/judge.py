"""Says whether a store came through a crash: the account before, or the new one, whole."""

import stores
from stores import ANSWER, LEFT, LOST, REPAIR, Account, Shut, Wrong

DONE, REFUSED, UNKNOWN = "done", "refused", "unknown"

NEXT_LOGIN = Account("2.00MadeUpNext", uid="3003")
# Words of an answer that says that the change stands all the same.
STANDS = ("the new account stands there", "the account is stored", "the account is removed")
DOUBT = "a power cut may bring"


def may_be_found(operation, answer, message, power_was_cut):
    """What may stand in the store after that answer."""
    both = [operation.before, operation.after]
    if answer == DONE:
        return [operation.after]
    if answer == UNKNOWN or (DOUBT in message and power_was_cut):
        return both
    return [operation.after] if any(words in message for words in STANDS) else [operation.before]


def judge(room, disk_place, operation, template, answer, message="", power_was_cut=False):
    """Starts a fresh daemon on what is left, and holds it to what was answered before."""
    if hasattr(operation, "judge"):
        operation.judge(room, disk_place, answer, message, power_was_cut)
        return
    allowed = may_be_found(operation, answer, message, power_was_cut)
    with _started(room, disk_place) as daemon:
        found = stores.observe(daemon)
        wanted = next((one for one in allowed if stores.same(found, one)), None)
        # A repair that brings the slots back may get there before the account is written.
        if wanted is None and isinstance(operation.before, Shut) and operation.before.account:
            if found == operation.before.account and operation.before in allowed:
                wanted = found
        if wanted is None:
            raise Wrong(_kind(operation, answer, found), f"{found}, and {answer} was answered: "
                        f"{daemon.errors() or 'nothing said'}")
        findings = daemon.call("Verify")["findings"]
        if not isinstance(wanted, Shut) and findings:
            raise Wrong(REPAIR, "; ".join(findings))
    _nothing_stays(disk_place)
    if isinstance(wanted, Shut):
        _is_as_it_was(room, disk_place, operation, template)
    with _started(room, disk_place) as daemon:
        daemon.call("Login", NEXT_LOGIN.login(replace=True))
        if stores.observe(daemon) != NEXT_LOGIN or daemon.call("Verify")["findings"]:
            raise Wrong(REPAIR, "the next login is not what is stored")
    _nothing_stays(disk_place)


def _started(room, place):
    return room.daemon(state=place / "state", key=place / "key")


def _nothing_stays(place):
    names = stores.strays(place)
    if names:
        raise Wrong(LEFT, ", ".join(sorted(names)))


def _kind(operation, answer, found):
    if isinstance(found, Shut):
        return REPAIR
    return ANSWER if found in (operation.before, operation.after) else LOST


def _is_as_it_was(room, place, operation, template):
    """A store that was shut before is shut as before: it opens to whoever brings the key back."""
    was, now = stores.sealed_bytes(template), stores.sealed_bytes(place)
    if was != now:
        raise Wrong(LOST, f"{[name for name in was if was[name] != now.get(name)]} changed")
    if operation.before.opened_by is None:
        return
    operation.before.opened_by(place)
    with _started(room, place) as daemon:
        found = stores.observe(daemon)
        if found != operation.before.account or daemon.call("Verify")["findings"]:
            raise Wrong(LOST, f"with its key back it is {found}")


def answer_of(reply):
    """What a reply comes to, and its words."""
    if reply is None:
        return UNKNOWN, ""
    if "error" not in reply:
        return DONE, ""
    return REFUSED, reply["parameters"].get("message", reply["error"])


