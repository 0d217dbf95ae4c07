"""Serves folders of web pages on loopback, for everything that `capture-figures` compares.

    document_server.py FOLDER [NAME=FOLDER …]

The first folder is the root; the others are served below their names. Prints its address, and ends when standard input
does, so that it doesn't outlive its parent.
"""

import sys
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

_FOLDERS = dict(argument.split("=", 1) for argument in sys.argv[2:])


class Handler(SimpleHTTPRequestHandler):
    def translate_path(self, path: str) -> str:
        name, _, rest = path.removeprefix("/").partition("/")
        self.directory = _FOLDERS.get(name, sys.argv[1])
        return super().translate_path(rest if name in _FOLDERS else path)

    def log_message(self, *_: object) -> None:
        pass


def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}/", flush=True)
    sys.stdin.read()


main()
