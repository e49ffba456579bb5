#!/usr/bin/env python3
"""Makes the fonts of this folder; run it from here when a text needs new signs.

    pip install fonttools
    apt-get download fonts-inter fonts-noto-cjk && dpkg -x …   (Debian's packages)
    python3 make.py FOLDER_WITH_THE_UNPACKED_PACKAGES

Four cuts of Inter 4.0 carry Latin, with tabular figures; two cuts of Noto Sans
CJK SC carry Chinese: GB 2312 level 1, its punctuation, and every Chinese sign
of this project's own texts. Layout tables, hints and names go: the pictures
place every glyph themselves.
"""

import pathlib
import sys

from fontTools import subset
from fontTools.ttLib import TTFont

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent.parent


def latin():
    signs = set(range(0x20, 0x7F)) | set(range(0xA0, 0x180)) | set(range(0x391, 0x3CA))
    signs |= set(map(ord, "‐‑‒–—‘’‚“”„†‡•…‰‹›⁄€™−×÷≈≠≤≥∞∑√←↑→↓↔↕⏎✓✗●◆■▲"))
    return signs


def chinese():
    signs = set()
    for row in list(range(1, 4)) + list(range(16, 56)):
        for cell in range(1, 95):
            code = bytes([0xA0 + row, 0xA0 + cell])
            try:
                signs.add(ord(code.decode("gb2312")))
            except (UnicodeDecodeError, TypeError):
                pass
    for folder, endings in [("src", (".rs",)), ("scenarios", (".json",)), ("book/zh", (".md",))]:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in endings:
                signs |= {ord(sign) for sign in path.read_text("utf-8") if ord(sign) > 0x2E7F}
    return signs


def shrink(font, signs, tabular=False):
    options = subset.Options()
    options.layout_features = ["tnum"] if tabular else []
    options.hinting = False
    options.desubroutinize = False
    options.name_IDs = []
    options.notdef_outline = True
    options.drop_tables += ["vhea", "vmtx", "VORG", "GPOS", "GDEF", "DSIG", "BASE", "FFTM"]
    chooser = subset.Subsetter(options)
    chooser.populate(unicodes=signs)
    chooser.subset(font)
    if tabular:
        for lookup in font["GSUB"].table.LookupList.Lookup:
            for table in lookup.SubTable:
                table = getattr(table, "ExtSubTable", table)
                for cmap in font["cmap"].tables:
                    for sign, glyph in list(cmap.cmap.items()):
                        if 0x30 <= sign <= 0x39 and glyph in table.mapping:
                            cmap.cmap[sign] = table.mapping[glyph]
        del font["GSUB"]
    cff = font["CFF "].cff
    cff.fontNames = ["CheckdamSans"]
    top = cff.topDictIndex[0]
    for name in ("Notice", "FullName", "FamilyName", "Weight", "Copyright"):
        if hasattr(top, name):
            delattr(top, name)
            top.rawDict.pop(name, None)


def main(unpacked):
    inter = next(pathlib.Path(unpacked).rglob("Inter-Regular.otf")).parent
    noto = next(pathlib.Path(unpacked).rglob("NotoSansCJK-Regular.ttc")).parent
    for cut, name in [("Regular", 400), ("Medium", 500), ("SemiBold", 600), ("Bold", 700)]:
        font = TTFont(inter / f"Inter-{cut}.otf", recalcTimestamp=False)
        shrink(font, latin(), tabular=True)
        font.save(HERE / f"latin-{name}.otf")
    # Number 2 of the collection is the simplified Chinese one.
    for cut, name in [("Regular", 400), ("Bold", 700)]:
        font = TTFont(noto / f"NotoSansCJK-{cut}.ttc", fontNumber=2, recalcTimestamp=False)
        shrink(font, chinese())
        font.save(HERE / f"chinese-{name}.otf")


main(sys.argv[1])
