#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Times our tokenizer against the `tokenizers` library, side by side and on one thread each.

    tokenizer_speed.py TOKENIZER_TIME FOLDER... [--megabytes 10] [--rounds 5]

TOKENIZER_TIME is the test executable of that name; FOLDER holds a tokenizer.json. The text mixes prose of
some thirty languages (messages that programs on this machine are translated into), documentation, code,
and sentences made at random with ideographs, emoji and numbers; as lines of 100 to 500 characters and
as documents of 10 to 100 KB. Ours and theirs take turns; given are the median of the ratios of
processor time, ours by theirs, and their quartiles, for encoding and for opening.
"""
import argparse
import gettext
import glob
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"

from tokenizers import Tokenizer  # noqa: E402  (reads the environment)

PROSE = "de fr es it pt nl pl ru uk el tr cs fi hu sv vi id ja ko zh_CN zh_TW ar he hi th bn ta fa ka".split()
EMOJI = "😀 😂 👍🏽 👩‍👩‍👧 🇩🇪 ❤️ 🎉 🤷‍♀️ 🔥 ✅ 🚀 🧠".split()
WORDS = "time people way water day man world life hand part child eye woman place work week case point".split()


def read(path):
    return pathlib.Path(path).read_text(encoding="utf-8", errors="ignore").replace("\0", "")


def messages(language):
    """What programs say in a language, from their catalogues."""
    for path in sorted(glob.glob(f"/usr/share/locale/{language}/LC_MESSAGES/*.mo")):
        try:
            with open(path, "rb") as file:
                catalogue = gettext.GNUTranslations(file)._catalog
        except (OSError, UnicodeDecodeError):
            continue
        yield from (text for text in catalogue.values() if isinstance(text, str) and len(text) > 20)


def files(pattern, rng):
    paths = sorted(glob.glob(pattern, recursive=True))
    rng.shuffle(paths)
    for path in paths:
        try:
            yield read(path)
        except OSError:
            continue


def made_up(rng):
    """Sentences at random: ideographs, kana, hangul, emoji, numbers, English words."""
    def letters(first, last, count):
        return "".join(chr(rng.randint(first, last)) for _ in range(count))
    while True:
        parts = []
        for _ in range(rng.randint(5, 25)):
            kind = rng.random()
            if kind < 0.4:
                parts.append(rng.choice(WORDS))
            elif kind < 0.6:
                parts.append(rng.choice((str(rng.randint(0, 10**9)), f"{rng.uniform(0, 1000):.3f}")))
            elif kind < 0.75:
                parts.append(letters(0x4E00, 0x8FFF, rng.randint(2, 12)))
            elif kind < 0.85:
                parts.append(letters(0x3041, 0x3096, rng.randint(2, 8)))
            elif kind < 0.9:
                parts.append(letters(0xAC00, 0xD7A3, rng.randint(2, 6)))
            else:
                parts.append(rng.choice(EMOJI))
        yield " ".join(parts) + rng.choice(".?!。") + " "


def joined(texts, size):
    """The first `size` bytes, about, of some texts."""
    parts, total = [], 0
    for text in texts:
        parts.append(text)
        total += len(text.encode())
        if total >= size:
            break
    return "\n".join(parts)


def mixed_text(size, rng):
    """Chunks of 1,000 to 2,000 characters: half prose, the rest code, documentation and made-up text."""
    sources = [joined(messages(language), size // 2 // len(PROSE)) for language in PROSE]
    sources.append(joined(files("/usr/lib/python3*/**/*.py", rng), size // 6))
    sources.append(joined(files("/usr/share/doc/**/copyright", rng), size // 6))
    sources.append(joined(made_up(rng), size // 6))
    chunks = []
    for source in sources:
        position = 0
        while position < len(source):
            length = rng.randint(1000, 2000)
            chunks.append(source[position:position + length])
            position += length
    rng.shuffle(chunks)
    return "\n".join(chunks)


def lines_of(text, rng):
    """The text in lines of 100 to 500 characters, cut at spaces where there are any near."""
    text = " ".join(text.split("\n"))
    position = 0
    while position < len(text):
        end = position + rng.randint(100, 450)
        space = text.find(" ", end, end + 50)
        end = space if space >= 0 else end
        yield text[position:end]
        position = end


def documents_of(text, rng):
    position = 0
    while position < len(text):
        end = position + rng.randint(8_000, 70_000)
        yield text[position:end]
        position = end


def ours(program, folder, file):
    done = subprocess.run([program, folder, file], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr.strip())
    return json.loads(done.stdout)


def theirs(folder, texts):
    openings = []
    for _ in range(3):
        start = time.process_time()
        tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
        openings.append(time.process_time() - start)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    tokens = 0
    start = time.process_time()
    for text in texts:
        tokens += len(tokenizer.encode(text))
    return {"openings": openings, "encoding": time.process_time() - start, "tokens": tokens}


def quartiles(values):
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else values * 3
    return f"{middle:.2f} ({low:.2f} to {high:.2f})"


def measure(program, folder, name, texts, args):
    with tempfile.NamedTemporaryFile(suffix=".txt") as file:
        file.write("\0".join(texts).encode())
        file.flush()
        pairs = [(ours(program, folder, file.name), theirs(folder, texts)) for _ in range(args.rounds)]
    if any(a["tokens"] != b["tokens"] for a, b in pairs):
        print(f"{folder}: ours has {pairs[0][0]['tokens']} tokens, theirs {pairs[0][1]['tokens']}")
    encoding = [a["encoding"] / b["encoding"] for a, b in pairs]
    opening = [statistics.median(a["openings"]) / statistics.median(b["openings"]) for a, b in pairs]
    seconds = [statistics.median(side["encoding"] for side in sides) for sides in zip(*pairs)]
    milliseconds = [1000 * statistics.median(t for side in sides for t in side["openings"]) for sides in zip(*pairs)]
    print(f"{folder}, {name}: encoding {quartiles(encoding)}, {seconds[0]:.2f} s by {seconds[1]:.2f} s;"
          f" opening {quartiles(opening)}, {milliseconds[0]:.0f} ms by {milliseconds[1]:.0f} ms", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--megabytes", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=("lines", "documents"), help="one shape of text only")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    text = mixed_text(int(args.megabytes * 1e6), rng)
    shapes = {"lines": list(lines_of(text, rng)), "documents": list(documents_of(text, rng))}
    print(f"{len(text.encode()) / 1e6:.1f} MB, {len(shapes['lines'])} lines, {len(shapes['documents'])} documents")
    for folder in args.folders:
        for name, texts in shapes.items():
            if args.only in (None, name):
                measure(args.program, folder, name, texts, args)


if __name__ == "__main__":
    main()
