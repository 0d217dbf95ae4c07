#!/usr/bin/env python3
"""Prints a JSON list with the query by pywb, and by cdxj-indexer, of each [type, Base64 body] in a JSON list on standard input."""

import base64
import io
import json
import sys

from cdxj_indexer.postquery import query_extract
from pywb.warcserver.inputrequest import MethodQueryCanonicalizer


def queries(kind, body):
    pywb = MethodQueryCanonicalizer("POST", kind, len(body), io.BytesIO(body)).query
    return [pywb, query_extract(kind, len(body), io.BytesIO(body), "http://a.example/")]


print(json.dumps([queries(kind, base64.b64decode(body)) for kind, body in json.load(sys.stdin)]))
