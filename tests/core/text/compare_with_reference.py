#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares our tokenizer with the `tokenizers` library on random texts.

    compare_with_reference.py PROGRAM FOLDER... [--count N] [--seed S] [--pairs]

PROGRAM is the test executable `tokenize_lines`, or `fovea`, which is then asked through
`fovea tokenize FOLDER --file F --json` (texts without line ends only, ids and spans, no decoding).
FOLDER holds a tokenizer.json; with --vocab only its vocab.txt is given to the program. A folder without one
is read by the AutoTokenizer of `transformers`; one with nothing but a SentencePiece file by `sentencepiece`.
Texts mix scripts, emoji, combining marks, control characters, kinds of space, words and typed
special tokens, in characters that have been assigned since Unicode 15.
"""
import argparse
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unicodedata

from tokenizers import Tokenizer

RANGES = [(0x20, 0x7E)] * 6 + [
    (0xA0, 0x24F), (0x250, 0x2AF), (0x300, 0x36F), (0x370, 0x52F), (0x531, 0x5F4), (0x600, 0x6FF), (0x700,
            0x74F),
    (0x900, 0x97F), (0x980, 0x9FF), (0xB80, 0xBFF), (0xE00, 0xE5B), (0x10A0, 0x10FF), (0x1100, 0x11FF),
    (0x1680, 0x169C), (0x1780, 0x17E9), (0x1E00, 0x1FFF), (0x2000, 0x206F), (0x2070, 0x209C), (0x20A0,
            0x20C0),
    (0x20D0, 0x20F0), (0x2100, 0x218B), (0x2190, 0x23FF), (0x2460, 0x24FF), (0x2500, 0x27BF), (0x2E80,
            0x2FD5),
    (0x3000, 0x30FF), (0x3130, 0x318E), (0x3200, 0x33FF), (0x3400, 0x3500), (0x4E00, 0x9FFF), (0xA640,
            0xA69F),
    (0xAC00, 0xD7A3), (0xE000, 0xE010), (0xF900, 0xFAD9), (0xFB00, 0xFB4F), (0xFE00, 0xFE6F), (0xFF00,
            0xFFEF),
    (0xFFF9, 0xFFFD), (0x10330, 0x1034A), (0x1D400, 0x1D7FF), (0x1F000, 0x1FAFF), (0x20000, 0x20100),
    (0x2F800, 0x2FA1D), (0xE0001, 0xE007F), (0x10400, 0x1044F), (0x1D165, 0x1D172), (0x1800, 0x18AA)]
SPACES = " \t\n\r\x0b\x0c\x1c\x85\xa0\u1680\u2003\u200b\u2028\u2029\u202f\u3000\ufeff"
MARKS = "\u0301\u0323\u0308\u030a\u0327\u0345\u3099\u309a\u05b0\u064b\u0e38\u20dd\ufe0f\u200d"
CONTROLS = "\x00\x01\x07\x1b\x7f\x80\x9f\xad\u200e\u2066\ufffd"
PARTS = """the and don't won't I'll they've he'd we're 'S 'LL 's '\u017f naïve café Straße İstanbul ΑΣ Σ ς ǅ ﬁ ẞ K Å
tokenization unbelievable 123 1234567 3.14 1,000 ½ ² _ __init__ snake_case CamelCase https://a.b/c?d=e
a@b.c 日本語 한국어 ภาษาไทย مرحبا שלום привет नमस्ते 😀 👩‍👩‍👧 🇩🇪 👍🏽 e\u0301 한 \u1112\u1161\u11ab q\u0307\u0323 ▁ ▁▁ Ġ ## ##ing Ċ <0x41>
[ ] < > </ /s> " ' `` ... – — “x” <|im_ ½½ ١٢٣ Ⅷ""".split()


def character(rng):
    while True:
        first, last = rng.choice(RANGES)
        code = rng.randint(first, last)
        if unicodedata.category(chr(code)) not in ("Cn", "Cs"):
            return chr(code)


def piece(rng, special):
    kind = rng.random()
    if kind < 0.30:
        return rng.choice(PARTS)
    if kind < 0.45:
        return "".join(character(rng) for _ in range(rng.randint(1, 6)))
    if kind < 0.58:
        return "".join(rng.choice("abcdefghijklmnopqrstuvwxyzABCDE") for _ in range(rng.randint(1, 9)))
    if kind < 0.66:
        return rng.choice(special) if special else "x"
    if kind < 0.76:
        return rng.choice(SPACES) * rng.choice((1, 1, 1, 2, 3))
    if kind < 0.82:
        return rng.choice(MARKS) * rng.choice((1, 1, 2))
    if kind < 0.86:
        return rng.choice(CONTROLS)
    if kind < 0.90:
        return "".join(rng.choice("0123456789") for _ in range(rng.randint(1, 6)))
    if kind < 0.905:
        return "".join(rng.choice("ab日é") for _ in range(rng.randint(90, 120)))
    return rng.choice((" ", " ", "  ", "   ", "\n", "\n\n", " \n"))


def sample(rng, special):
    joint = rng.choice(("", " ", " ", None))
    parts = [piece(rng, special) for _ in range(rng.choice((0, 1, 2, 3, 5, 8, 13)))]
    if joint is not None:
        return joint.join(parts)
    return "".join(part + rng.choice(("", " ")) for part in parts)


def guarded(call):
    """What the library says; None where it fails."""
    try:
        return call()
    except BaseException as error:  # a panic of the library is no Exception
        if isinstance(error, KeyboardInterrupt):
            raise
        return None


class Auto:
    """What AutoTokenizer makes of a folder without tokenizer.json, with the methods of Tokenizer."""

    def __init__(self, folder):
        from transformers import AutoTokenizer
        self.hf = AutoTokenizer.from_pretrained(folder)
        self.backend = getattr(self.hf, "backend_tokenizer", None)

    def get_added_tokens_decoder(self):
        return self.hf.added_tokens_decoder

    def get_vocab_size(self):
        return len(self.hf)

    def decode(self, ids):
        return self.hf.decode(ids, skip_special_tokens=True)

    def answer(self, text, pair, special):
        if self.backend is not None:
            return answer_of(self, self.backend.encode(text, pair, add_special_tokens=special))
        ids = self.hf(text, pair, add_special_tokens=special)["input_ids"]
        return {"ids": ids, "tokens": self.hf.convert_ids_to_tokens(ids), "decoded": self.decode(ids)}

    def id_to_token(self, index):
        return self.backend.id_to_token(index)


class Plain:
    """A SentencePiece file by its own library."""

    def __init__(self, file):
        import sentencepiece
        self.model = sentencepiece.SentencePieceProcessor(model_file=str(file))

    def get_added_tokens_decoder(self):
        return {}

    def get_vocab_size(self):
        return self.model.get_piece_size()

    def decode(self, ids):
        return self.model.decode([i for i in ids if i < self.model.get_piece_size()])

    def answer(self, text, pair, special):
        pieces, offsets = [], []
        for part in (text, pair):
            for piece in self.model.encode(part, return_type="proto").pieces if part is not None else ():
                pieces.append(piece.id)  # spans are in bytes
                offsets.append([len(part.encode()[:place].decode()) for place in (piece.begin, piece.end)])
        return {"ids": pieces, "tokens": [self.model.id_to_piece(i) for i in pieces], "offsets": offsets,
                "decoded": self.model.decode(pieces)}


def opened(folder):
    files = [path.name for path in pathlib.Path(folder).iterdir()]
    if "tokenizer.json" in files:
        tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer
    if len(files) == 1 and files[0].endswith(".model"):
        return Plain(f"{folder}/{files[0]}")
    return Auto(folder)


def reference(tokenizer, text, pair, special):
    if isinstance(tokenizer, Tokenizer):
        return guarded(lambda: answer_of(tokenizer, tokenizer.encode(text, pair, add_special_tokens=special)))
    return guarded(lambda: tokenizer.answer(text, pair, special))


def answer_of(tokenizer, encoding):
    # What a post-processor adds is shown as it says; of the rest the piece, also where it is unknown.
    tokens = [token if added else tokenizer.id_to_token(index)
              for token, added, index in zip(encoding.tokens, encoding.special_tokens_mask, encoding.ids)]
    return {"ids": encoding.ids, "tokens": tokens,
            "offsets": [list(span) for span in encoding.offsets],
            "type_ids": encoding.type_ids,
            "sequences": [-1 if s is None else s for s in encoding.sequence_ids],
            "decoded": tokenizer.decode(encoding.ids)}


def ours(program, folder, requests):
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    done = subprocess.run([program, folder], input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.split("\n") if line]


def ours_by_command(program, folder, requests):
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8", newline="") as file:
        file.write("".join(request["text"] + "\n" for request in requests))
        file.flush()
        done = subprocess.run([program, "tokenize", folder, "--file", file.name, "--json"],
                              capture_output=True,
                              text=True, check=True)
    return [json.loads(line) for line in done.stdout.split("\n") if line]


def compare(program, folder, args):
    tokenizer = opened(folder)
    rng = random.Random(args.seed)
    special = [token.content for token in tokenizer.get_added_tokens_decoder().values()]
    texts = [sample(rng, special) for _ in range(args.count)]
    command = pathlib.Path(program).name == "fovea"
    if command:
        texts = [text.replace("\n", " ").replace("\r", " ") for text in texts]
    requests = [{"text": text} for text in texts]
    if args.pairs and not command:
        for request in requests:
            request["pair"] = sample(rng, special)
            request["special"] = rng.random() < 0.5
    answers = (ours_by_command if command else ours)(program, folder if not args.vocab else args.vocab,
                                                     requests)
    if len(answers) != len(requests):
        sys.exit(f"{folder}: {len(answers)} answers to {len(requests)} requests")
    differing = failed = 0
    for request, answer in zip(requests, answers):
        expected = reference(tokenizer, request["text"], request.get("pair"), request.get("special", True))
        if expected is None:
            failed += 1
            continue
        keys = [key for key in expected if (key in answer or "error" in answer) and key != args.ignore]
        if any(answer.get(key) != expected[key] for key in keys):
            differing += 1
            if differing <= args.show:
                print("differs:", json.dumps(request))
                for key in keys:
                    if answer.get(key) != expected[key]:
                        print("   ", key, "ours", answer.get(key, answer.get("error")), "\n    ", key,
                              "reference",
                              expected[key])
    if not command:
        differing += compare_decoding(program, folder, tokenizer, rng, args)
    note = f", the library fails on {failed}" if failed else ""
    print(f"{folder}: {len(requests)} texts, {differing} differ{note}")
    return differing


def compare_decoding(program, folder, tokenizer, rng, args):
    size = tokenizer.get_vocab_size()
    requests = [{"ids": [rng.randrange(size + 2) for _ in range(rng.randint(0, 12))]}
                for _ in range(args.count // 4)]
    differing = 0
    for request, answer in zip(requests, ours(program, folder if not args.vocab else args.vocab, requests)):
        expected = guarded(lambda: tokenizer.decode(request["ids"]))
        if expected is not None and answer.get("decoded") != expected:
            differing += 1
            if differing <= args.show:
                print("decodes differently:", request, "ours", answer, "reference", json.dumps(expected))
    return differing


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--count", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=3)
    parser.add_argument("--pairs", action="store_true")
    parser.add_argument("--vocab", action="store_true")
    parser.add_argument("--ignore", default="", help="a key of the answers")
    args = parser.parse_args()
    differing = 0
    for folder in args.folders:
        if not args.vocab:
            differing += compare(args.program, folder, args)
            continue
        with tempfile.TemporaryDirectory() as copy:
            for name in ("vocab.txt", "tokenizer_config.json"):
                shutil.copy(f"{folder}/{name}", copy)
            args.vocab = copy
            differing += compare(args.program, folder, args)
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
