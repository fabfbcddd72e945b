"""When a token has expired, on a machine whose clock is set. docs/PROTOCOL.md, "The clock" """

import datetime


class Watch:
    """What is known of one account's end."""

    def __init__(self, account):
        self.issued_at = account.issued_at
        self.expires_at = account.expires_at
        # The latest moment of the boot clock at which the life that was seen can end.
        self.latest_end = None
        self.seen_expired = False
        self.stepped_back = False

    def copy(self):
        """Another one that knows the same."""
        other = Watch.__new__(Watch)
        other.__dict__.update(self.__dict__)
        return other

    def learn(self, earlier):
        """A token that ends when another one did goes on with what was known of that."""
        if earlier.expires_at == self.expires_at:
            self.latest_end = earlier.latest_end
            self.seen_expired = earlier.seen_expired
            self.stepped_back = earlier.stepped_back

    def remaining(self, realtime, boottime):
        """Seconds that are left; to ask is to look, which is remembered."""
        left = self.expires_at - realtime
        if left <= 0:
            self.seen_expired, self.stepped_back = True, False
            return left
        if self.seen_expired:
            self.stepped_back = True
            if self.latest_end is not None and boottime >= self.latest_end:
                return -((boottime - self.latest_end) // 1000)
            self.seen_expired = False
        end = boottime + left * 1000
        self.latest_end = end if self.latest_end is None else max(self.latest_end, end)
        return left

    def clock(self, realtime):
        """`Status.clock`."""
        if self.issued_at is not None and realtime < self.issued_at:
            return "before_issue"
        return "stepped_back" if self.stepped_back else "steady"


def date(seconds):
    """RFC 3339 in UTC."""
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
    # strftime does not fill the years before 1000 up, and there are none here.
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
