#!/usr/bin/env python3
"""Checks a WACZ file with independent programs: wacz validates it, warcio checks its digests, cdxj-indexer indexes it,
and pywb replays each of its records.

    check_wacz.py FILE [--origin ORIGIN]

With --origin, each replayed response to a GET request of that origin is compared with the live one. Prints one JSON
object; if anything is wrong, prints a line for each fault to standard error, and exits 1.
"""

from gevent.monkey import patch_all

patch_all()

import argparse
import contextlib
import gzip
import hashlib
import io
import json
import logging
import os
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile
from pathlib import Path

from cdxj_indexer.main import CDXJIndexer
from pywb.apps.frontendapp import FrontEndApp
from pywb.manager.manager import main as manager
from wacz.main import main as wacz
from warcio.archiveiterator import ArchiveIterator
from werkzeug.test import Client

STORED = {"archive/data.warc.gz", "indexes/index.cdx.gz"}
FIELDS = ("url", "mime", "status", "digest", "length", "offset", "filename", "method", "requestBody")


def records(warc, errors):
    """The fields of each record, whose digests are checked."""
    found = []
    for record in ArchiveIterator(io.BytesIO(warc), check_digests=True):
        content = record.raw_stream.read() if record.rec_type == "warcinfo" else record.content_stream().read()
        fields = {name: value for name, value in record.rec_headers.headers}
        # warcio doesn't check those of revisits, whose payload is elsewhere.
        if record.rec_type != "revisit" and record.digest_checker.passed is not True:
            errors.append(f"digest of {fields}: {record.digest_checker.problems}")
        head = record.http_headers
        found.append(
            {
                "type": record.rec_type,
                "fields": fields,
                "line": head and f"{head.protocol} {head.statusline}",
                "http": [list(pair) for pair in head.headers] if head else [],
                "body": hashlib.sha256(content).hexdigest(),
                "bytes": len(content),
            }
        )
    return found


def parsed(index):
    """Lines of an index as keys, times and fields."""
    lines = [line.split(" ", 2) for line in index.decode().splitlines()]
    return [(key, time[:14], {name: json.loads(text).get(name) for name in FIELDS}) for key, time, text in lines]


def check_index(index, warc, errors):
    """Compares an index with the one that cdxj-indexer makes."""
    if index != b"".join(sorted(index.splitlines(keepends=True))):
        errors.append("the index isn't sorted")
    lines = parsed(index)
    text, methods = io.StringIO(), request_methods(warc)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "data.warc.gz")
        path.write_bytes(warc)
        options = {"post_append": True, "sort": True, "records": "response,revisit,resource"}
        CDXJIndexer(text, [str(path)], **options).process_all()
    # The responses to other methods aren't indexed.
    expected = [
        line for line in parsed(text.getvalue().encode())
        if methods.get(line[2]["offset"], "GET") in ("GET", "POST", "PUT")]
    for ours, theirs in zip(lines, expected):
        if ours != theirs:
            errors.append(f"the index has {ours}, not {theirs}")
    if len(lines) != len(expected):
        errors.append(f"the index has {len(lines)} lines, not {len(expected)}")
    return lines


def live(url):
    class NoRedirect(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_):
            return None

    try:
        response = urllib.request.build_opener(NoRedirect).open(url, timeout=30)
    except urllib.error.HTTPError as error:
        response = error
    body = response.read()
    if response.headers.get("Content-Encoding") == "gzip":
        body = gzip.decompress(body)
    return response.status, body


def replay(file, lines, bodies, origin, errors):
    """Replays each line of the index with pywb; returns what it showed."""
    shown = []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with contextlib.redirect_stdout(sys.stderr):
            manager(["init", "kept"])
            manager(["add", "kept", "--unpack-wacz", str(file)])
            app = FrontEndApp(custom_config={"collections_root": "collections", "debug": False})
            client = Client(app)
            for _, time, fields in lines:
                method, request = fields["method"] or "GET", bodies.get(fields["offset"])
                response = client.open(
                    f"/kept/{time}id_/{fields['url']}", method=method, data=request and request[1],
                    content_type=request and request[0])
                body = response.get_data()
                status = int(fields["status"] or 200)
                shown.append({"url": fields["url"], "method": method, "status": response.status_code, "bytes": len(body)})
                # pywb shows what a response confirms only if both are of the same second.
                if status == response.status_code == 304:
                    continue
                expected = 200 if status == 304 else status
                if response.status_code != expected:
                    errors.append(f"pywb shows {method} {fields['url']} with {response.status_code}, not {expected}")
                elif method == "GET" and origin and fields["url"].startswith(origin) and "/cookies" not in fields["url"]:
                    if (expected, body) != live(fields["url"]):
                        errors.append(f"pywb shows other bytes than the site for {fields['url']}")
    return shown


def request_methods(warc):
    """The method of each request, by the offset of its response."""
    return {offset: method for offset, (method, _, _) in requests(warc).items()}


def request_bodies(warc):
    """The type and body of each request that has one, by the offset of its response."""
    return {offset: (kind, body) for offset, (_, kind, body) in requests(warc).items() if body}


def requests(warc):
    offsets, found = {}, {}
    iterator = ArchiveIterator(io.BytesIO(warc))
    for record in iterator:
        # Getting the offset skips the rest of the record.
        body = record.content_stream().read()
        offset = iterator.get_record_offset()
        if record.rec_type in ("response", "revisit"):
            offsets[record.rec_headers["WARC-Record-ID"]] = str(offset)
        if record.rec_type == "request":
            head = record.http_headers
            key = offsets[record.rec_headers["WARC-Concurrent-To"]]
            found[key] = (head.protocol, head.get_header("Content-Type"), body)
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("--origin")
    options = parser.parse_args()
    logging.disable()
    file, errors = options.file.resolve(), []
    with contextlib.redirect_stdout(sys.stderr):
        if wacz(["validate", "-f", str(file)]) != 0:
            errors.append("wacz validate fails")
    with zipfile.ZipFile(file) as archive:
        for entry in archive.infolist():
            if entry.filename in STORED and entry.compress_type != zipfile.ZIP_STORED:
                errors.append(f"{entry.filename} is compressed")
        if archive.testzip():
            errors.append("the ZIP file is damaged")
        warc = archive.read("archive/data.warc.gz")
        index = gzip.decompress(archive.read("indexes/index.cdx.gz"))
        pages = [json.loads(line) for line in archive.read("pages/pages.jsonl").decode().splitlines()]
    found = records(warc, errors)
    lines = check_index(index, warc, errors)
    shown = replay(file, lines, request_bodies(warc), options.origin, errors)
    if errors:
        sys.exit("\n".join(errors))
    print(json.dumps({"records": found, "pages": pages, "shown": shown}))


if __name__ == "__main__":
    main()
