# Serves a profile to whoever has logged in.
import json
import os
import secrets
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PASSWORDS = {"ada": "analytical"}
USER_OF = {}


class Api(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # keeps connections
    wbufsize = -1  # headers and body leave in one piece
    disable_nagle_algorithm = True

    def do_GET(self):
        token = self.headers.get("authorization", "").removeprefix("Bearer ")
        user = USER_OF.get(token)
        if self.path == "/healthz":
            self.answer(200, {"status": "ok"})
        elif user is None:
            self.answer(401, {"error": "log in first"})
        elif self.path == f"/users/{user}":
            self.answer(200, {"user": user, "languages": ["Analytical Engine"]})
        else:
            self.answer(404, {"error": "no such page"})

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        user = asked.get("user")
        if self.path != "/login" or PASSWORDS.get(user) != asked.get("password"):
            self.answer(401, {"error": "wrong user or password"})
            return
        token = secrets.token_urlsafe(24)
        USER_OF[token] = user
        self.answer(200, {"user": user, "token": token})

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Api).serve_forever()
