#!/usr/bin/env python3
"""Prints a JSON list with the sortable form, by the package surt, of each URL in a JSON list on standard input."""

import json
import sys

import surt

print(json.dumps([surt.surt(url) for url in json.load(sys.stdin)]))
