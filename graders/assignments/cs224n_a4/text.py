"""Decode text files from any operating system and split them into lines."""

import codecs
import re

LARGEST = 2**20  # four times a dev file of the longest possible predictions

# UTF-32's little-endian mark begins with UTF-16's, so it is tested first.
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

# "\r\r\n" comes from writing "\r\n" in Windows' text mode. A lone "\r" ended lines on old Macs.
# A run is matched as a whole: `\r+\n|\r` would look for a line feed again from each character.
LINE_END = re.compile(r"(\r+)(\n?)")


def decode(raw: bytes) -> tuple[str, tuple[str, ...]]:
    """Return the text of these bytes, and notes about anything unusual."""
    for mark, encoding in BYTE_ORDER_MARKS:
        if raw.startswith(mark):
            text = raw[len(mark) :].decode(encoding, "replace").lstrip("\ufeff")
            return text, (f"the file begins with a byte-order mark ({encoding[:6].upper()})",)
    for encoding, high_bytes in (("utf-16-le", raw[1::2]), ("utf-16-be", raw[::2])):
        if len(raw) >= 4 and high_bytes.count(0) * 2 > len(high_bytes):
            return raw.decode(encoding, "replace"), ("the file is UTF-16",)
    try:
        return raw.decode("utf-8"), ()
    except UnicodeDecodeError:
        return raw.decode("cp1252", "replace"), ("the file is not UTF-8; read as Windows-1252",)


def split_lines(text: str) -> tuple[list[str], bool]:
    """Return the lines, and whether any of them ended with something other than a line feed.

    Only line ends separate lines. U+2028, U+0085 and others that str.splitlines() splits at are
    characters of the corpus, so a prediction may contain them.
    """
    unified = LINE_END.sub(lambda run: run[2] or "\n" * len(run[1]), text)
    lines = unified.split("\n")
    if lines[-1].strip("\x00\x1a") == "":  # a final line end; DOS editors added \x1a after it
        lines.pop()
    return lines, unified != text


def is_blank(line: str) -> bool:
    """Return whether the line has no visible character."""
    return not any(letter.isprintable() and not letter.isspace() for letter in line)
