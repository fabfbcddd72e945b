"""Stands between a client and a service, and passes all on but for one message."""

import json
import select
import socket
import threading

import wire

SECONDS = 20


class AlteringProxy:
    """Serves one connection at a time. `passed` are the replies of the last one, as they came."""

    def __init__(self, service, path):
        self.service = service
        self.path = path
        self.passed = []
        self._place = self._reply = None
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def alter(self, place, reply):
        """From now on that message, counted from 0, is this one. None: the end."""
        self._place, self._reply = place, reply

    def close(self):
        """Ends it."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join(SECONDS)
        self._listener.close()

    def _serve(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            with client, wire.connect(self.service, SECONDS) as service:
                self.passed = []
                try:
                    self._pass_on(client, service)
                except OSError:
                    # The client has had enough.
                    pass

    def _pass_on(self, client, service):
        pending = b""
        while True:
            ready, _, _ = select.select([client, service], [], [], SECONDS)
            if client in ready:
                data = client.recv(65_536)
                if not data:
                    return
                service.sendall(data)
            if service in ready:
                pending += service.recv(65_536)
                *messages, pending = pending.split(b"\0")
                for message in messages:
                    reply = json.loads(message)
                    if len(self.passed) == self._place:
                        if self._reply is None:
                            return
                        message = json.dumps(self._reply).encode()
                    self.passed.append(reply)
                    client.sendall(message + b"\0")
