#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""check_png.py FILE...: each is a whole PNG, its checksums hold, and something is drawn."""
import struct
import sys
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunks(data):
    """(type, content) of each; a wrong length or checksum ends in an exception."""
    if not data.startswith(SIGNATURE):
        raise ValueError("no PNG signature")
    at = len(SIGNATURE)
    while at < len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        content = data[at + 8:at + 8 + length]
        (checksum,) = struct.unpack_from(">I", data, at + 8 + length)
        if checksum != zlib.crc32(kind + content):
            raise ValueError(f"checksum of {kind!r}")
        yield kind, content
        at += 12 + length


def check(path):
    with open(path, "rb") as file:
        found = list(chunks(file.read()))
    if found[0][0] != b"IHDR" or found[-1] != (b"IEND", b""):
        raise ValueError("no beginning or no end")
    width, height = struct.unpack_from(">II", found[0][1])
    pixels = zlib.decompress(b"".join(content for kind, content in found if kind == b"IDAT"))
    if width < 500 or height < 150:
        raise ValueError(f"{width} by {height} pixels")
    # An empty sheet compresses to next to nothing and has two values: filter and white.
    if len(set(pixels)) < 20:
        raise ValueError("nothing is drawn")
    print(f"{path}: {width} by {height}")


for name in sys.argv[1:]:
    try:
        check(name)
    except (OSError, ValueError, struct.error, zlib.error) as error:
        sys.exit(f"{name}: {error}")
