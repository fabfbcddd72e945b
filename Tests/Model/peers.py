"""Users who connect: a process for each, which hands its connections over.

The kernel records the credentials of whoever connects; what becomes of the descriptor afterwards
does not matter. So one program speaks for all users.
"""

import os
import signal
import socket

import users

READERS, OBSERVERS = 65_520, 65_521
OWNER, OTHER_OWNER = 0, 65_522


class User:
    """A user of the machine, and what the daemon of `owner` lets it do."""

    def __init__(self, name, uid, gid, groups, role):
        self.name, self.uid, self.gid, self.groups, self.role = name, uid, gid, groups, role


USERS = {user.name: user for user in (
    User("root", OWNER, 0, (), "owner"),
    User("reader", users.READER, users.READER, (READERS,), "reader"),
    User("primary", 65_523, READERS, (), "reader"),
    User("both", 65_524, 65_524, (OBSERVERS, *range(70_000, 70_300), READERS), "reader"),
    User("observer", users.OBSERVER, users.OBSERVER, (1, OBSERVERS), "observer"),
    User("stranger", users.STRANGER, users.STRANGER, (100,), "stranger"),
    User("nobody", users.NOBODY, users.NOBODY, (READERS,), "stranger"))}
SECOND = User("second", OTHER_OWNER, OTHER_OWNER, (), "stranger")


def user(name, owner):
    """Who that is for a daemon of that owner."""
    if name != "second":
        return USERS[name]
    role = "owner" if owner == OTHER_OWNER else "stranger"
    return User(SECOND.name, SECOND.uid, SECOND.gid, SECOND.groups, role)


NAMES = (*USERS, "second")


class Brokers:
    """A child for each user; ended by `close`."""

    def __init__(self):
        self.channels, self.pids = {}, {}
        for name in NAMES:
            self._start(name)

    def _start(self, name):
        who = USERS.get(name, SECOND)
        ours, theirs = socket.socketpair()
        child = os.fork()
        if child == 0:
            ours.close()
            for channel in self.channels.values():
                channel.close()
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            try:
                os.setgroups(list(who.groups))
                os.setgid(who.gid)
                os.setuid(who.uid)
                _serve(theirs)
            finally:
                os._exit(0)
        theirs.close()
        self.channels[name], self.pids[name] = ours, child

    def connect(self, name, path):
        """A connection that the daemon takes for that user's."""
        channel = self.channels[name]
        channel.sendall(os.fsencode(path))
        word, descriptors, _, _ = socket.recv_fds(channel, 64, 1)
        if not descriptors:
            raise ConnectionError(f"{name} cannot connect: {word.decode()}")
        return socket.socket(fileno=descriptors[0])

    def close(self):
        """Ends the children."""
        for name, pid in self.pids.items():
            self.channels[name].close()
            os.waitpid(pid, 0)


def _serve(channel):
    while path := channel.recv(4096):
        peer = socket.socket(socket.AF_UNIX)
        try:
            peer.connect(os.fsdecode(path))
            socket.send_fds(channel, [b"."], [peer.fileno()])
        except OSError as fault:
            channel.sendall(str(fault.errno).encode())
        peer.close()
