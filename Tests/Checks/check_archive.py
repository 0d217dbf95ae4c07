#!/usr/bin/env python3
"""Checks a web archive against the format, then extracts it with pywebarchive, an independent reader.

    check_archive.py FILE FOLDER [--safari]

Prints {"ok": true, "resources": N, "frames": N, "extracted": "FOLDER/page.html"}, or {"ok": false, "errors": […]}
and exits 1. `frames` counts the archives within the archive, at every depth; `resources` counts all resources, with the
main ones. --safari allows WebResourceResponse, which Safari writes and this project omits.
"""

import argparse
import codecs
import json
import mimetypes
import plistlib
import re
import sys
from pathlib import Path
from urllib.parse import urlsplit

ARCHIVE_KEYS = {"WebMainResource", "WebSubresources", "WebSubframeArchives"}
RESOURCE_KEYS = {
    "WebResourceData",
    "WebResourceURL",
    "WebResourceMIMEType",
    "WebResourceTextEncodingName",
    "WebResourceFrameName",
}
HTML_TYPES = {"text/html", "application/xhtml+xml"}
MIME_TYPE = re.compile(r"[a-z0-9!#$&^_.+-]+/[a-z0-9!#$&^_.+-]+", re.IGNORECASE)

# Deeper than any page nests its frames. Ends the check of a file that contains itself.
DEEPEST = 32


class Archive:
    """The results of checking one file: its faults, and its numbers of resources and frames."""

    def __init__(self, safari=False):
        self.errors = []
        self.resources = 0
        self.frames = 0
        self.resource_keys = RESOURCE_KEYS | ({"WebResourceResponse"} if safari else set())

    def complain(self, place, text):
        self.errors.append(f"{place}: {text}")

    def value(self, dictionary, key, kind, place):
        """The key's value if it exists with this type. A wrong type is an error; a missing key is up to the caller."""
        if key not in dictionary:
            return None
        value = dictionary[key]
        if not isinstance(value, kind):
            self.complain(f"{place}.{key}", f"must be {kind.__name__}, is {type(value).__name__}")
            return None
        return value

    def required(self, dictionary, key, kind, place):
        if key not in dictionary:
            self.complain(place, f"{key} is missing")
        return self.value(dictionary, key, kind, place)

    def check_keys(self, dictionary, known, place):
        for key in sorted(set(dictionary) - known):
            self.complain(place, f"{key} isn't a key of this format, or must be omitted")

    def check_archive(self, archive, place="archive", depth=0):
        if not isinstance(archive, dict):
            return self.complain(place, f"must be dict, is {type(archive).__name__}")
        if depth > DEEPEST:
            return self.complain(place, f"is nested deeper than {DEEPEST} archives")
        self.check_keys(archive, ARCHIVE_KEYS, place)
        main = self.required(archive, "WebMainResource", dict, place)
        if main is not None:
            self.check_main(main, f"{place}.WebMainResource", is_top=depth == 0)
        urls = set()
        for index, resource in enumerate(self.items(archive, "WebSubresources", place)):
            resource_place = f"{place}.WebSubresources[{index}]"
            url = self.check_resource(resource, resource_place)
            if url in urls:
                self.complain(resource_place, f"{url} occurs twice: list it once for each frame")
            if url is not None:
                urls.add(url)
            if isinstance(resource, dict) and "WebResourceFrameName" in resource:
                self.complain(resource_place, "WebResourceFrameName belongs to main resources only")
        for index, frame in enumerate(self.items(archive, "WebSubframeArchives", place)):
            self.frames += 1
            self.check_archive(frame, f"{place}.WebSubframeArchives[{index}]", depth + 1)

    def items(self, archive, key, place):
        items = self.value(archive, key, list, place)
        if items is not None and not items:
            self.complain(f"{place}.{key}", "is empty: omit it")
        return items or []

    def check_main(self, main, place, is_top):
        self.check_resource(main, place)
        name = self.value(main, "WebResourceFrameName", str, place)
        if is_top and name != "":
            self.complain(place, f'WebResourceFrameName must be "" at the top, is {name!r}')
        if not is_top and name == "":
            self.complain(
                place, "WebResourceFrameName is empty: omit it for an unnamed frame, so that its URL is the key"
            )
        mime_type, data = main.get("WebResourceMIMEType"), main.get("WebResourceData")
        if mime_type in HTML_TYPES and isinstance(data, bytes):
            encoding = main.get("WebResourceTextEncodingName")
            if encoding != "UTF-8":
                self.complain(
                    place, f'WebResourceTextEncodingName of a serialized page must be "UTF-8", is {encoding!r}'
                )
            try:
                data.decode("utf-8")
            except UnicodeDecodeError as problem:
                self.complain(f"{place}.WebResourceData", f"is not UTF-8: {problem}")

    def check_resource(self, resource, place):
        """Checks one resource; returns its URL if it is valid."""
        self.resources += 1
        if not isinstance(resource, dict):
            self.complain(place, f"must be dict, is {type(resource).__name__}")
            return None
        self.check_keys(resource, self.resource_keys, place)
        self.required(resource, "WebResourceData", bytes, place)
        mime_type = self.required(resource, "WebResourceMIMEType", str, place)
        if mime_type is not None and not MIME_TYPE.fullmatch(mime_type):
            self.complain(f"{place}.WebResourceMIMEType", f"{mime_type!r} isn't of the form type/subtype")
        encoding = self.value(resource, "WebResourceTextEncodingName", str, place)
        if encoding is not None and not is_encoding(encoding):
            self.complain(f"{place}.WebResourceTextEncodingName", f"{encoding!r} isn't an encoding")
        self.value(resource, "WebResourceFrameName", str, place)
        self.value(resource, "WebResourceResponse", bytes, place)
        url = self.required(resource, "WebResourceURL", str, place)
        if url is not None and not is_absolute(url):
            self.complain(f"{place}.WebResourceURL", f"{url!r} is not absolute")
            return None
        return url


def is_encoding(name):
    try:
        return bool(codecs.lookup(name))
    except LookupError:
        return False


def is_absolute(url):
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return False
    if re.search(r"[\s\x00-\x20\x7f]", url) or not parts.scheme:
        return False
    return bool(host) if parts.scheme in ("http", "https") else bool(parts.netloc or parts.path)


def extract(file, folder):
    """Extracts with pywebarchive; returns the page's path and the number of files written, all of which exist."""
    import webarchive

    folder.mkdir(parents=True, exist_ok=True)
    written = []
    with webarchive.open(str(file)) as archive:
        mime_type = archive.main_resource.mime_type
        extension = ".html" if mime_type in HTML_TYPES else mimetypes.guess_extension(mime_type) or ""
        page = folder / f"page{extension}"
        archive.extract(str(page), after_cb=lambda resource, path: written.append(Path(path)))
    for path in written:
        if not path.is_file():
            raise ValueError(f"pywebarchive said that it wrote {path}, and there is no such file")
    if not page.is_file() or not page.stat().st_size:
        raise ValueError(f"the extracted page {page} is missing or empty")
    return page, len(written)


def check(file, folder, safari):
    archive = Archive(safari)
    try:
        content = file.read_bytes()
        if not content.startswith(b"bplist00"):
            return {"ok": False, "errors": ["archive: isn't a binary property list"]}
        archive.check_archive(plistlib.loads(content, fmt=plistlib.FMT_BINARY))
    # For a damaged list, plistlib raises many kinds of exceptions.
    except Exception as problem:
        archive.complain("archive", f"cannot be read: {type(problem).__name__}: {problem}")
    if archive.errors:
        return {"ok": False, "errors": archive.errors}
    try:
        page, extracted = extract(file, folder)
    except Exception as problem:
        return {"ok": False, "errors": [f"extraction: {type(problem).__name__}: {problem}"]}
    if extracted != archive.resources:
        return {"ok": False, "errors": [f"extraction: {extracted} resources of {archive.resources} were written"]}
    return {"ok": True, "resources": archive.resources, "frames": archive.frames, "extracted": str(page)}


def main():
    parser = argparse.ArgumentParser(description="Checks a web archive and extracts it.")
    parser.add_argument("file", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--safari", action="store_true")
    arguments = parser.parse_args()
    report = check(arguments.file, arguments.folder, arguments.safari)
    print(json.dumps(report))
    return 0 if report["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
