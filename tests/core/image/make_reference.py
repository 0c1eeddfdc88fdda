# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes tests/data/resampling: random pictures resized by Pillow and prepared by transformers.

Run by hand with both installed: python make_reference.py FOLDER
"""
import json
import pathlib
import sys

import numpy as np
from PIL import Image
from safetensors.numpy import save_file
from transformers.models.bit.image_processing_pil_bit import BitImageProcessorPil
from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil
from transformers.models.deit.image_processing_pil_deit import DeiTImageProcessorPil
from transformers.models.vilt.image_processing_pil_vilt import ViltImageProcessorPil
from transformers.models.vit.image_processing_pil_vit import ViTImageProcessorPil

random = np.random.default_rng(7)


def picture(height, width):
    """Noise on a gradient with hard edges, so that filters overshoot."""
    noise = random.integers(0, 256, (height, width, 3))
    edges = 255 * ((np.add.outer(np.arange(height), np.arange(width)) // 3) % 2)[:, :, None]
    return np.where(random.random((height, width, 1)) < 0.5, noise, edges).astype(np.uint8)


def resampling(folder):
    sizes = [(1, 1, 5, 3), (1, 7, 4, 1), (13, 1, 1, 9), (17, 23, 17, 23), (17, 23, 17, 8), (17, 23, 40, 23),
             (17, 23, 8, 9), (9, 5, 31, 47), (64, 48, 3, 5), (300, 2, 7, 7), (33, 65, 66, 130), (37, 41, 36, 42)]
    arrays, filters = {}, {}
    for height, width, newHeight, newWidth in sizes:
        for number in range(6):
            name = str(len(filters))
            pixels = picture(height, width)
            arrays[name + ".input"] = pixels
            resized = Image.fromarray(pixels).resize((newWidth, newHeight), resample=number)
            arrays[name + ".output"] = np.asarray(resized).copy()
            filters[name] = str(number)
    save_file(arrays, folder / "resized.safetensors", filters)


PROCESSORS = {"ViTImageProcessor": ViTImageProcessorPil, "CLIPImageProcessor": CLIPImageProcessorPil,
              "BitImageProcessor": BitImageProcessorPil, "DeiTImageProcessor": DeiTImageProcessorPil,
              "ViltImageProcessor": ViltImageProcessorPil}


def preparing(folder):
    cases = [
        ("ViTImageProcessor", {"size": {"height": 16, "width": 24}}, (37, 20)),
        ("ViTImageProcessor", {"size": 18, "do_normalize": False}, (5, 40)),
        ("ViTImageProcessor", {"size": [12, 20], "do_rescale": False, "image_mean": [100, 110, 120],
                               "image_std": [50, 60, 70]}, (37, 20)),
        ("CLIPImageProcessor", {"size": 20, "crop_size": 16}, (37, 20)),
        ("CLIPImageProcessor", {"size": {"shortest_edge": 15}, "crop_size": {"height": 12, "width": 21}}, (31, 18)),
        ("CLIPImageProcessor", {"size": {"shortest_edge": 10}, "crop_size": {"height": 17, "width": 16}}, (31, 18)),
        ("CLIPImageProcessor", {"do_resize": False, "crop_size": {"height": 30, "width": 9}}, (31, 18)),
        ("CLIPImageProcessor", {"do_resize": False, "do_center_crop": False}, (9, 18)),
        ("CLIPImageProcessor", {"size": {"shortest_edge": 20, "longest_edge": 30}, "do_center_crop": False}, (31, 90)),
        ("CLIPImageProcessor", {"size": {"shortest_edge": 20, "longest_edge": 31}, "do_center_crop": False}, (67, 29)),
        ("CLIPImageProcessor", {"size": {"shortest_edge": 20, "longest_edge": 30}, "do_center_crop": False}, (27, 29)),
        ("BitImageProcessor", {"size": {"shortest_edge": 24}, "crop_size": {"height": 14, "width": 14}}, (40, 33)),
        ("DeiTImageProcessor", {"size": {"height": 24, "width": 24}, "crop_size": 16}, (40, 33)),
        ("ViltImageProcessor", {"size": {"shortest_edge": 40}, "size_divisor": 8}, (40, 33)),
        ("ViltImageProcessor", {"size": 40, "size_divisor": 8}, (33, 97)),
        ("ViltImageProcessor", {"size": {"shortest_edge": 64}}, (61, 46)),
        ("ViltImageProcessor", {"size": {"shortest_edge": 33}, "size_divisor": 4, "resample": 2}, (200, 46)),
    ]
    arrays, configurations = {}, {}
    for kind, keys, (height, width) in cases:
        name = str(len(configurations))
        pixels = picture(height, width)
        arrays[name + ".input"] = pixels
        processor = PROCESSORS[kind](**keys)
        values = processor(Image.fromarray(pixels), return_tensors="np")["pixel_values"][0]
        arrays[name + ".output"] = np.asarray(values, dtype=np.float32)
        configurations[name] = json.dumps({"image_processor_type": kind, **keys})
    save_file(arrays, folder / "prepared.safetensors", configurations)


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    resampling(target)
    preparing(target)
