"""A frame as H.264 leaves it: an inter-coded one, since a call or a recording has few others."""

from __future__ import annotations

import av
import numpy as np


def through_h264(frame: np.ndarray, rate_factor: int) -> np.ndarray:
    """(height, width, 3) uint8 → the same after x264 in memory, the second of two like frames."""
    height, width = frame.shape[:2]
    padded = np.pad(frame, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge")
    encoder = av.CodecContext.create("libx264", "w")
    encoder.width, encoder.height, encoder.pix_fmt = padded.shape[1], padded.shape[0], "yuv420p"
    encoder.time_base = "1/10"
    encoder.options = {"crf": str(rate_factor), "preset": "veryfast", "tune": "zerolatency", "x264-params": "threads=1"}
    decoder = av.CodecContext.create("h264", "r")
    decoder.thread_count = 1
    picture = av.VideoFrame.from_ndarray(padded, "rgb24")
    packets = []
    for index in range(2):
        again = picture.reformat(format="yuv420p")
        again.pts = index
        packets += encoder.encode(again)
    packets += encoder.encode(None)
    decoded = [out for packet in packets for out in decoder.decode(packet)] + list(decoder.decode(None))
    return decoded[-1].to_ndarray(format="rgb24")[:height, :width]
