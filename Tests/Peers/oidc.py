"""oidc-agent, with a provider of tokens that this program makes up on the loopback interface."""

import http.server
import json
import shutil
import threading

from peer import Peer, Question
from place import children, end_orphans, wait_for_socket
import wire

# The provider's address; the kernel picks the port.
LOOPBACK = "127.0.0.1"
TOKEN_SECONDS = 36_000


class _Handler(http.server.BaseHTTPRequestHandler):
    """Answers the two requests of a client that has a refresh token."""

    def do_GET(self):
        """OpenID Connect Discovery 1.0, section 3."""
        issuer = self.server.issuer
        self._answer({
            "issuer": issuer, "authorization_endpoint": f"{issuer}auth",
            "token_endpoint": f"{issuer}token", "registration_endpoint": f"{issuer}register",
            "scopes_supported": ["openid", "offline_access"],
            "grant_types_supported": ["refresh_token", "authorization_code"],
            "response_types_supported": ["code"]})

    def do_POST(self):
        """RFC 6749, section 6."""
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._answer({"access_token": self.server.token, "token_type": "Bearer",
                      "expires_in": TOKEN_SECONDS, "refresh_token": self.server.refresh_token,
                      "scope": "openid offline_access"})

    def _answer(self, contents):
        body = json.dumps(contents).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Nothing is printed."""


class FakeProvider(http.server.ThreadingHTTPServer):
    """Gives everybody the same made-up token."""

    def __init__(self):
        super().__init__((LOOPBACK, 0), _Handler)
        self.issuer = f"http://localhost:{self.server_port}/"
        self.token = wire.made_up_token()
        self.refresh_token = wire.made_up_token()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class OidcAgent(Peer):
    """oidc-agent(1)"""

    name = "oidc-agent"
    packages = ("oidc-agent-cli",)
    needs = ("oidc-agent", "oidc-gen", "oidc-add", "oidc-token")
    deletion = "oidc-add --remove-all"
    account = "made-up"

    def start(self):
        provider = self.place.enter_context(FakeProvider())
        directory = self.place.directory("oidc")
        path = directory / "socket"
        self.place.environment.update(
            OIDC_SOCK=str(path), OIDC_CONFIG_DIR=str(self.place.directory("oidc-config")))
        agent = self.place.start("oidc-agent", "--console", f"--socket-path={path}")
        wait_for_socket(path)
        password = self.place.file("oidc-password", wire.made_up_token().encode() + b"\n")
        self.place.run(
            "oidc-gen", "--no-save", "--manual", "--client-id=made-up", "--client-secret=made-up",
            f"--issuer={provider.issuer}", "--scope=openid offline_access", "--flow=refresh",
            f"--refresh-token={provider.refresh_token}", f"--pw-file={password}",
            "--confirm-default", "--prompt=none", "--redirect-uri=http://localhost:4242",
            self.account)
        # One process talks to clients; its child, to providers.
        self.processes = [agent, *children(agent)]
        self.place.callback(end_orphans, self.processes[1:])
        self.secret = provider.token.encode()
        self.questions = [Question(
            "oidc-token", [shutil.which("oidc-token"), self.account], self.secret)]

    def forget(self):
        self.place.run("oidc-add", "--remove-all")
