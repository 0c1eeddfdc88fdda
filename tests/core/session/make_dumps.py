# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes tests/data/dumps: the same attention in every layout and type that other programs write.

Run by hand with NumPy installed: python make_dumps.py FOLDER
"""
import pathlib
import sys

import numpy as np

random = np.random.default_rng(3)
scores = random.normal(size=(2, 3, 8, 8))
weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
tokens = np.array(["[CLS]", "ein", "schöner", "Fuchs", "🦊", "läuft", "weg", "[SEP]"])
image = random.integers(0, 256, (30, 40, 3)).astype(np.uint8)

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
np.save(folder / "attention.npy", weights.astype(np.float32))
np.save(folder / "scores_fortran.npy", np.asfortranarray(scores.astype(">f8")))
np.save(folder / "half.npy", weights[1].astype(np.float16))
np.save(folder / "one_head.npy", weights[0, 0])
np.savez(folder / "named.npz", attention=weights, tokens=tokens)
np.savez_compressed(folder / "layers.npz", tokens=np.char.encode(tokens, "utf-8"), grid=np.array([2, 3]), image=image,
                    **{f"attention_layer{layer}": weights[layer].astype(np.float16) for layer in range(2)})
np.savez(folder / "stacks.npz", **{"encoder_attention.0": weights[0], "cross_attention.0": weights[1][:, :5],
                                   "decoder_attention.0": weights[1][:, :5, :5] / weights[1][:, :5, :5].sum(-1, keepdims=True)})
np.savez(folder / "plain.npz", weights[0].astype(np.float32))
np.savez(folder / "picture_path.npz", scores=scores, image=np.array("cat.png"), grid=[2, 2])
np.save(folder / "expected.npy", weights)
