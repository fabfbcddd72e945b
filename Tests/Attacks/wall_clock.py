"""Clocks that are wrong at the start or set meanwhile. docs/PROTOCOL.md, "The clock"."""

import re
import time

from cases import case
from client import Home, response
from clocks import ShiftedClock

HOUR, DAY, YEAR = 3600, 86_400, 31_556_952
# The first second that 32 bits do not hold, signed and unsigned; the last that four digits of a
# year hold.
Y2038, Y2106, Y9999 = 1 << 31, 1 << 32, 253_402_300_799
STEADY, BEFORE_ISSUE, STEPPED_BACK = "steady", "before_issue", "stepped_back"


class Watched:
    """A daemon under a clock that can be set, and an account that lives for so many seconds."""

    def __init__(self, room, seconds, age=0):
        self.clock = ShiftedClock(room)
        self.daemon = room.daemon(environment=self.clock.environment)
        self.token = self.daemon.login(
            issued_at=int(time.time()) - age, expires_in=age + seconds)

    def must_say(self, is_good, clock, shift=None):
        """Holds what each method says under that clock."""
        if shift is not None:
            self.clock.set(shift)
        answer = self.daemon.call("CheckExpiry")
        assert answer["valid"] == is_good == (answer["remaining"] > 0), (shift, answer)
        account = self.daemon.call("GetAccount")["account"]
        assert account["expired"] != is_good, (shift, account)
        assert abs(account["remaining"] - answer["remaining"]) <= 1, (account, answer)
        reply = self.daemon.ask("GetToken")
        assert (reply.get("parameters", {}).get("access_token") == self.token) == is_good, reply
        status = self.daemon.status()
        assert status["clock"] == clock, (shift, status["clock"])
        return answer["remaining"]


@case
def a_clock_that_jumps_ahead_for_a_while_kills_no_good_token(room):
    for ahead in (2 * DAY, 10 * YEAR, 8000 * YEAR, 1 << 62):
        watched = Watched(room, DAY)
        watched.must_say(True, STEADY)
        assert watched.must_say(False, STEADY, ahead) < 0
        assert DAY - 60 < watched.must_say(True, STEPPED_BACK, 0) <= DAY
        watched.daemon.end()


@case
def a_token_that_was_seen_expired_stays_so_when_the_clock_steps_back(room):
    watched = Watched(room, 2, age=HOUR)
    watched.must_say(True, STEADY)
    time.sleep(2.1)
    watched.must_say(False, STEADY)
    for back, clock in ((-600, STEPPED_BACK), (-2 * HOUR, BEFORE_ISSUE), (-10 * YEAR, BEFORE_ISSUE),
                        (-1 << 62, BEFORE_ISSUE), (0, STEADY)):
        assert watched.must_say(False, clock, back) <= 0
    # The same token, as the next one that logs in gives it, is no other.
    watched.clock.set(-600)
    account = watched.daemon.call("GetAccount")["account"]
    watched.daemon.call("Login", {
        "access_token": watched.token, "uid": account["uid"], "replace": True,
        "issued_at": account["issued_at"], "expires_in": account["expires_in"]})
    watched.must_say(False, STEPPED_BACK)
    watched.daemon.end()


@case
def a_clock_that_is_wrong_from_the_start_is_named(room):
    for shift, is_good, clock in (
            (0, True, STEADY), (HOUR, True, STEADY), (-HOUR, True, BEFORE_ISSUE),
            (10 * YEAR, False, STEADY), (-10 * YEAR, True, BEFORE_ISSUE)):
        watched = Watched(room, DAY)
        watched.daemon.end()
        watched.clock.set(shift)
        watched.daemon = room.daemon(after=watched.daemon, environment=watched.clock.environment)
        left = watched.must_say(is_good, clock)
        assert abs(left + shift - DAY) < 60, (shift, left)
        # Once it is set right, as by a time service after the start, all is well.
        watched.must_say(True, STEADY if is_good else STEPPED_BACK, 0)
        watched.daemon.end()


@case
def dates_before_1970_after_2038_and_beyond_9999_are_answered(room):
    for now in (-Y2038, -60, 0, 60, Y2038 - 1, Y2038, Y2106, Y9999 - 200, Y9999 + 200, 1 << 55):
        clock = ShiftedClock(room, now - int(time.time()))
        daemon = room.daemon(environment=clock.environment)
        home = Home(room)

        def account(*words, **others):
            return home.account(*words, "--socket", str(daemon.socket), **others)

        reply = daemon.ask("Login", access_token="2.00x", uid="1", expires_in=DAY)
        fits = 0 <= now and now + DAY <= Y9999
        assert ("account" in reply.get("parameters", {})) == fits, (now, reply)
        if fits:
            expires = account("expires", "--format", "unix").must_be(0).out
            assert now + DAY <= int(expires) < now + DAY + 60, (now, expires)
            account("check").must_be(0)
            account("check", "--min-validity", "2d").must_be(1)
        # An account of now is judged by that clock, however far off.
        issued = int(time.time())
        account("login", "--replace", "--issued-at", str(issued), input=response()).must_be(0)
        is_good = now < issued + 30 * DAY
        account("check").must_be(0 if is_good else 1)
        account("token").must_be(0 if is_good else 1)
        shown = account("show").must_be(0).out
        assert re.search(r"expires: +20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ \(", shown), shown
        says = account("status").must_be(0).out
        assert ("granted" in says) == (now < issued), (now, says)
        daemon.must_rest(0.1)
        daemon.end()


@case
def deadlines_do_not_depend_on_the_wall_clock(room):
    clock = ShiftedClock(room)
    daemon = room.daemon("--readers", "65500", environment=clock.environment)
    token = daemon.login()
    peer = daemon.connect()
    peer.sendall(b'{"method"')
    for shift in (10 * YEAR, -10 * YEAR, 1 << 62, -1 << 62, 0):
        clock.set(shift)
        daemon.status()
        daemon.must_rest(0.1)
    peer.sendall(b':"org.accountd.Account.GetToken"}\0')
    assert token.encode() in peer.recv(65_536), "a half-sent message was given up by the wall clock"
    peer.close()
    daemon.end()
