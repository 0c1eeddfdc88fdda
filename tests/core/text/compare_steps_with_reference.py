#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares single steps of our tokenizer with the `tokenizers` library on random texts.

    compare_steps_with_reference.py TOKENIZE_LINES [--count N]

Builds small tokenizers, each around one normalizer, pre-tokenizer, model option, kind of added token,
post-processor or decoder, with a model that gives one token a character, so that spans show the
alignment of every character.
"""
import argparse
import json
import pathlib
import sys
import tempfile

import compare_with_reference

CHARACTERS = sorted(set(map(chr, range(0x21, 0x17F))) | set("▁ΑαςσΣ日本語") | set(map(chr, range(0x300, 0x330))))
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
MERGES = [["t", "h"], ["th", "e"], ["i", "n"], ["in", "g"], ["a", "n"], ["an", "d"], ["▁", "the"], ["Ġ", "a"],
          ["1", "2"], ["Ġ", "the"], ["0", "0"]]


def bpe(**options):
    pieces = ["<unk>", *CHARACTERS]
    for left, right in MERGES:
        pieces.extend(piece for piece in (left, right, left + right) if piece not in pieces)
    pieces.extend(options.pop("more", []))
    model = {"type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None,
             "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
             "vocab": {piece: id for id, piece in enumerate(pieces)}, "merges": MERGES}
    return {**model, **options}


def wordpiece(**options):
    words = ["[UNK]", "[CLS]", "[SEP]", "the", "and", "a", "##b", "##c", "b", "don", "'", "t", "n't", "do",
             "not", "##t",
             ".", ",", "!", "日", "##本", "un", "##believ", "##able", "i", "is", "##tan", "##bul"]
    return {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": {word: id for id, word in enumerate(words)}, **options}


def added(content, **flags):
    return {"id": 0, "content": content, "single_word": False, "lstrip": False, "rstrip": False,
            "normalized": False,
            "special": False, **flags}


def tokenizer(**sections):
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
            "pre_tokenizer": None, "post_processor": None, "decoder": None, "model": bpe(), **sections}


def replace(kind, pattern, content):
    return {"type": "Replace", "pattern": {kind: pattern}, "content": content}


def split(kind, pattern, behavior, invert=False):
    return {"type": "Split", "pattern": {kind: pattern}, "behavior": behavior, "invert": invert}


def bert(clean, chinese, accents, lower):
    return {"type": "BertNormalizer", "clean_text": clean, "handle_chinese_chars": chinese,
            "strip_accents": accents,
            "lowercase": lower}


def byte_level(prefix, regex=True, trim=True):
    return {"type": "ByteLevel", "add_prefix_space": prefix, "trim_offsets": trim, "use_regex": regex}


def metaspace(scheme, cut=True):
    return {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": cut}


NORMALIZERS = {
    **{form: {"type": form} for form in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents")},
    "nfd strip lower": {"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "StripAccents"},
                                                            {"type": "Lowercase"}, {"type": "NFC"}]},
    "nfkc twice": {"type": "Sequence", "normalizers": [{"type": "NFKC"}, {"type": "NFKD"}, {"type": "NFKC"}]},
    "bytes": {"type": "ByteLevel"},
    "strip": {"type": "Strip", "strip_left": True, "strip_right": True},
    "strip left": {"type": "Strip", "strip_left": True, "strip_right": False},
    "strip right": {"type": "Strip", "strip_left": False, "strip_right": True},
    "replace string": replace("String", " ", "▁"), "replace with nothing": replace("String", "a", ""),
    "replace long": replace("String", "the", "日本語"), "replace regex": replace("Regex", r"\s+", " "),
    "replace anchor": replace("Regex", "^", "▁"), "replace empty": replace("Regex", "b*", "x"),
    "replace classes": replace("Regex", r"[\w&&[^\d]]+|\h", "日"), "replace line ends": replace("Regex", r".$",
            "é"),
    "replace then lower": {"type": "Sequence",
                           "normalizers": [replace("Regex", "^", "ΑÅ"), {"type": "Lowercase"},
                                                               {"type": "NFD"}]},
    "prepend": {"type": "Prepend", "prepend": "▁"}, "prepend two": {"type": "Prepend", "prepend": "é日"},
    "prepend then": {"type": "Sequence",
                     "normalizers": [{"type": "Prepend", "prepend": "▁"}, {"type": "NFKD"},
                                                         replace("String", " ",
                                                                 "▁"), {"type": "StripAccents"}]},
    **{f"bert {flags}": bert(*flags) for flags in ((True, True, None, True), (False, True, True, False),
                                                  (True, False, False, True), (True, True, True, False),
                                                  (False, False, None, True))},
    "bert and strip": {"type": "Sequence", "normalizers": [bert(True, True, None, True),
                                                           {"type": "Strip", "strip_left": True,
                                                            "strip_right": True}]},
}
BEHAVIORS = ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")
WORDS = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
PRE_TOKENIZERS = {
    **{name: {"type": name} for name in ("BertPreTokenizer", "Whitespace", "WhitespaceSplit")},
    **{f"punctuation {b}": {"type": "Punctuation", "behavior": b} for b in BEHAVIORS},
    **{f"split {b} {i}": split("Regex", r"\s|[0-9]+|\p{P}", b, i) for b in BEHAVIORS for i in (False, True)},
    **{f"split string {b} {i}": split("String", " ", b, i) for b in BEHAVIORS for i in (False, True)},
    "split words": split("Regex", WORDS + r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
                         "Isolated"),
    "split possessive": split("Regex", r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++"
                              r"[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s", "Isolated"),
    "split dot": split("Regex", r"(?m:a.b)|.e|(?<=x)y|\bthe\b|[一-龥]+", "Isolated"),
    "split empty": split("String", "", "Isolated"), "split word class": split("Regex", r"\w+|\W", "Removed",
            True),
    "digits": {"type": "Digits", "individual_digits": False}, "each digit": {"type": "Digits",
            "individual_digits": True},
    "scripts": {"type": "UnicodeScripts"},
    **{f"length {n}": {"type": "FixedLength", "length": n} for n in (1, 5)},
    "delimiter": {"type": "CharDelimiterSplit", "delimiter": "a"},
    **{f"metaspace {s} {c}": metaspace(s, c) for s in ("always", "never", "first") for c in (True, False)},
    **{f"bytes {p} {r}": byte_level(p, r) for p in (True, False) for r in (True, False)},
    "sequence": {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, metaspace("always"),
                                                       {"type": "Digits", "individual_digits": True}]},
    "words and bytes": {"type": "Sequence",
                        "pretokenizers": [split("String", " ", "MergedWithNext"), byte_level(True)]},
}
MODELS = {
    "bytes": bpe(byte_fallback=True, more=BYTES), "some bytes": bpe(byte_fallback=True, more=BYTES[:0xE4]),
    "fused": bpe(fuse_unk=True), "fused bytes": bpe(byte_fallback=True, fuse_unk=True, more=BYTES[:0xE4]),
    "no unknown": bpe(unk_token=None), "ignore merges": bpe(ignore_merges=True, more=["don't", "naïve"]),
    "suffix": bpe(end_of_word_suffix="</w>", more=["e</w>", "t</w>", "the</w>"]),
    "suffix bytes": bpe(end_of_word_suffix="</w>", byte_fallback=True, more=["e</w>", *BYTES]),
    "strings": bpe(merges=[" ".join(pair) for pair in MERGES]), "wordpiece": wordpiece(),
    "short words": wordpiece(max_input_chars_per_word=3),
    "words": {"type": "WordLevel", "unk_token": "<unk>", "vocab": {"<unk>": 0, "the": 1, "and": 5, ",": 3}},
}
ADDED = {
    "plain": [added("the"), added("and", special=True), added("them")], "left": [added("the", lstrip=True)],
    "right": [added("日本", rstrip=True), added("the", rstrip=True), added("'", lstrip=True, rstrip=True)],
    "single": [added("the", single_word=True), added("1", single_word=True), added("é", single_word=True)],
    "normalized": [added("The", normalized=True), added("ÅNG", normalized=True), added("é", normalized=True),
                   added("<s>", special=True), added(" ", normalized=True, special=True)],
    "overlapping": [added("a"), added("ab", normalized=True), added("abc", lstrip=True),
                    added("bcd", rstrip=True)],
}
TEMPLATE = {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "x", "type_id": 3}},
                                                     {"Sequence": {"id": "A", "type_id": 2}}],
            "pair": [{"Sequence": {"id": "B", "type_id": 1}}, {"SpecialToken": {"id": "x", "type_id": 0}},
                     {"Sequence": {"id": "A", "type_id": 4}}],
            "special_tokens": {"x": {"id": "x", "ids": [1, 2], "tokens": ["one", "two"]}}}
PROCESSORS = {
    "none": None, "template": TEMPLATE, "bert": {"type": "BertProcessing", "sep": ["!", 1], "cls": ["a", 2]},
    **{f"roberta {t} {p}": {"type": "RobertaProcessing", "sep": ["!", 1], "cls": ["a", 2], "trim_offsets": t,
                            "add_prefix_space": p} for t in (True, False) for p in (True, False)},
    "bytes": byte_level(True), "bytes no prefix": byte_level(False),
    "sequence": {"type": "Sequence", "processors": [byte_level(False), TEMPLATE]},
    "reversed": {"type": "Sequence",
                 "processors": [{"type": "BertProcessing", "sep": ["!", 1], "cls": ["a", 2]},
                                                    byte_level(False)]},
}
DECODERS = {
    "none": None, "wordpiece": {"type": "WordPiece", "prefix": "a", "cleanup": True},
    "wordpiece as is": {"type": "WordPiece", "prefix": "##", "cleanup": False}, "bytes": byte_level(True),
    "fallback": {"type": "ByteFallback"}, **{f"metaspace {s}": metaspace(s) for s in ("always", "never",
            "first")},
    "bpe": {"type": "BPEDecoder", "suffix": "e"},
    "llama": {"type": "Sequence",
              "decoders": [replace("String", "▁", " "), {"type": "ByteFallback"}, {"type": "Fuse"},
                                               {"type": "Strip", "content": " ", "start": 1, "stop": 0}]},
    **{f"ctc {c}": {"type": "CTC", "pad_token": "a", "word_delimiter_token": "b", "cleanup": c}
       for c in (True, False)},
    "strip": {"type": "Sequence",
              "decoders": [{"type": "Fuse"}, {"type": "Strip", "content": "a", "start": 2, "stop": 3}]},
    "regex": {"type": "Sequence", "decoders": [{"type": "Fuse"}, replace("Regex", r"[a-e]+", "<>")]},
}


def tokenizers():
    for name, step in NORMALIZERS.items():
        yield f"normalizer {name}", tokenizer(normalizer=step)
        yield f"normalizer {name}, words", tokenizer(normalizer=step,
                                                     pre_tokenizer={"type": "BertPreTokenizer"})
    for name, step in PRE_TOKENIZERS.items():
        yield f"pre-tokenizer {name}", tokenizer(pre_tokenizer=step)
        yield f"pre-tokenizer {name}, normalized", tokenizer(pre_tokenizer=step,
                                                             normalizer=NORMALIZERS["prepend then"])
    for name, model in MODELS.items():
        yield f"model {name}", tokenizer(model=model)
        yield f"model {name}, words", tokenizer(model=model, pre_tokenizer={"type": "BertPreTokenizer"})
    for name, tokens in ADDED.items():
        yield f"added {name}", tokenizer(added_tokens=tokens)
        yield f"added {name}, normalized", tokenizer(added_tokens=tokens,
                                                     pre_tokenizer={"type": "WhitespaceSplit"},
                                                     normalizer=bert(True, True, True, True))
    for name, step in PROCESSORS.items():
        yield f"processor {name}", tokenizer(post_processor=step, pre_tokenizer=byte_level(True))
        yield f"processor {name}, as is", tokenizer(post_processor=step)
    for name, step in DECODERS.items():
        yield f"decoder {name}", tokenizer(decoder=step, model=bpe(byte_fallback=True, more=BYTES),
                                           added_tokens=[added("<s>", special=True), added("日 本")])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    args.seed, args.show, args.pairs, args.vocab = 3, 2, True, False
    differing = 0
    # The library counts special tokens to a text when a step follows the one that added them.
    args.ignore = "sequences"
    for name, content in tokenizers():
        if args.only not in name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "tokenizer.json").write_text(json.dumps(content), encoding="utf-8")
            print(name, end=" ", flush=True)
            differing += compare_with_reference.compare(args.program, folder, args)
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
