"""Other users of the machine. Everything here needs root."""

import contextlib
import json
import os
import signal
import threading
import time

from cases import needs_root

READER, OBSERVER, STRANGER, NOBODY = 65_500, 65_501, 65_502, 65_534


def as_user(uid, body, groups=()):
    """Runs `body` in a child of another user; what it returns comes back, as does its failure."""
    needs_root()
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups(list(groups))
            os.setgid(uid)
            os.setuid(uid)
            answer = {"value": body()}
        except BaseException as fault:
            answer = {"fault": f"{type(fault).__name__}: {fault}"}
        os.write(into, json.dumps(answer).encode())
        os._exit(0)
    os.close(into)
    with os.fdopen(out) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    answer = json.loads(text)
    assert "fault" not in answer, answer["fault"]
    return answer["value"]


def at_once(functions):
    """Calls each in a thread of its own; what they return, in the order in which they are done."""
    results = []
    threads = [threading.Thread(target=lambda each=each: results.append(each()))
               for each in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@contextlib.contextmanager
def crowd(daemon, uid, count, data=b"", group=READER, seconds=30, dripping=0):
    """A process of that user that holds connections on which it has sent some bytes.

    On the first `dripping` of them it goes on to send a byte a second, a space.
    """
    needs_root()
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(group)
            os.setuid(uid)
            held = [daemon.connect() for _ in range(count)]
            for peer in held:
                if data:
                    peer.sendall(data)
        except OSError:
            pass
        try:
            os.write(tell, b".")
            end = time.monotonic() + seconds
            while dripping and time.monotonic() < end:
                for peer in held[:dripping]:
                    peer.send(b" ")
                    time.sleep(1 / dripping)
            time.sleep(max(0, end - time.monotonic()))
        finally:
            os._exit(0)
    os.read(told, 1)
    os.close(told)
    os.close(tell)
    time.sleep(0.2)
    try:
        yield
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
