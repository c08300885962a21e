"""Scenes: a person before a camera, or a reproduction of one held before it.

A scene is drawn once and can be seen several times, as the frames of one attempt: the hand trembles, the head moves, the noise is new,
everything else stays. Only the part of the frame that the crops need is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

import numpy as np
import torch

from . import media
from .camera import Camera, Setting, camera, expose, jpeg, makes, rate_factor, to_bytes
from .crops import BRANCHES, LEAST_CONTEXT, Box, liveness_crop
from .h264 import through_h264
from .light import Picture, blur, luma, pixel_grid, polygon_mask, resize, sample, smooth_noise, to_linear
from .sources import Face, SourceFolder

#: What a scene shows. The families of reproductions are those that an ablation leaves out.
FAMILIES = ("live", "print", "bent", "cut-out", "mask", "screen", "filling")

#: Width of a face, millimetres, where a reproduction is life-size.
FACE_MM = 150.0

#: Width of the face box in the camera's frame, pixels: as little as is scored, and as much as a phone's selfie has.
SMALLEST_FACE, LARGEST_FACE = 78.0, 460.0
#: No face is drawn wider: the crops reduce it to 102 pixels, and what a finer camera adds is drawn as such.
DRAWN_FACE = 190.0

#: Mesh points around the face, and around each eye, in order.
OVAL = [10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377, 152, 148, 176, 149, 150, 136, 172, 58, 132, 93, 234, 127, 162, 21, 54, 103, 67, 109]  # fmt: skip
EYES = [[33, 246, 161, 160, 159, 158, 157, 173, 133, 155, 154, 153, 145, 144, 163, 7], [263, 466, 388, 387, 386, 385, 384, 398, 362, 382, 381, 380, 374, 373, 390, 249]]  # fmt: skip
EYE_CORNERS = (33, 263)


@dataclass(frozen=True)
class Kit:
    """What scenes of one side of the split are made of."""

    sources: SourceFolder
    faces: list[Face]
    rooms: list[int]
    cameras: list[int]
    papers: list[int]
    displays: list[int]
    #: Faces by identity, and identities by whether they are rendered.
    by_identity: dict[str, list[Face]]
    identities: dict[str, list[str]]

    @staticmethod
    def of(sources: SourceFolder, part: str) -> "Kit":
        """Raises ValueError where a part has nobody or no room."""
        faces, rooms = sources.part(part)
        if not faces or not rooms:
            raise ValueError(f"the sources have too few pictures for the part {part}")
        # Development asks how well the trained generalises to other people; other cameras, papers and displays are held out alone.
        held_out = part == "held-out"
        by_identity: dict[str, list[Face]] = {}
        for face in faces:
            by_identity.setdefault(face.identity, []).append(face)
        kinds: dict[str, list[str]] = {}
        for identity, theirs in by_identity.items():
            kinds.setdefault(theirs[0].kind, []).append(identity)
        return Kit(
            sources=sources,
            faces=faces,
            rooms=rooms,
            cameras=makes(held_out=held_out),
            papers=media.makes(media.PAPERS, media.HELD_OUT_PAPERS, held_out=held_out),
            displays=media.makes(media.DISPLAYS, media.HELD_OUT_DISPLAYS, held_out=held_out),
            by_identity=by_identity,
            identities={kind: sorted(names) for kind, names in kinds.items()},
        )

    def identity(self, rng: np.random.Generator) -> str:
        """A rendered person or one of a photograph, each kind half of the time."""
        kinds = sorted(self.identities)
        return str(rng.choice(self.identities[kinds[int(rng.integers(len(kinds)))]]))

    def face_of(self, rng: np.random.Generator, identity: str) -> Face:
        return self.by_identity[identity][int(rng.integers(len(self.by_identity[identity])))]


@dataclass(frozen=True)
class View:
    """The frame, and where the face in it was found."""

    width: int
    height: int
    box: Box

    def region(self) -> tuple[int, int, int, int]:
        """What has to be drawn: the largest crop and a few pixels more, x, y, width, height."""
        scale = max(scale for scale, _ in BRANCHES.values())
        x, y, width, height = liveness_crop(self.width, self.height, self.box, scale)
        left, top = max(0, x - 6), max(0, y - 6)
        return left, top, min(self.width, x + width + 6) - left, min(self.height, y + height + 6) - top


@dataclass(frozen=True)
class Frame:
    """Pixels of the drawn part (height, width, 3) uint8, and the face box in it."""

    pixels: np.ndarray
    box: Box


#: Draws a frame's light and tells where the face in it is, in its pixels.
Drawing = Callable[[np.random.Generator], tuple[Box, Picture]]


@dataclass(frozen=True)
class Scene:
    family: str
    #: 'rendered' or 'photo': what the person or the reproduced picture is.
    kind: str
    make: int
    draw: Drawing
    setting: Setting

    def frame(self, rng: np.random.Generator) -> Frame:
        """The scene once more."""
        box, light = self.draw(rng)
        height, width = light.shape[1:]
        make = camera(self.make)
        seen = expose(light, make, self.setting, rng, _metered(light, box))
        return Frame(_compressed(to_bytes(seen), make, self.setting.quality), _jittered(rng, box, width, height))


def draw_scene(kit: Kit, rng: np.random.Generator, family: str) -> Scene:
    """A scene of one of `FAMILIES`."""
    make = int(rng.choice(kit.cameras))
    span = float(np.exp(rng.uniform(np.log(SMALLEST_FACE), np.log(LARGEST_FACE))))
    setting = Setting.draw(rng, camera(make), oversampling=max(1.0, span / DRAWN_FACE))
    identity = kit.identity(rng)
    kind = kit.by_identity[identity][0].kind
    wanted = min(span, DRAWN_FACE)
    draw = _live(kit, rng, identity, wanted) if family == "live" else _reproduction(kit, rng, identity, family, wanted)
    return Scene(family, kind, make, draw, setting)


# A person


def _live(kit: Kit, rng: np.random.Generator, identity: str, wanted: float) -> Drawing:
    room_wanted = float(rng.uniform(LEAST_CONTEXT + 0.05, 4.6))
    aspect = float(rng.choice([4 / 3, 4 / 3, 3 / 4, 16 / 9, 1]))
    flip = bool(rng.random() < 0.5)
    tint = _room_light(rng)
    props = _props(kit, rng) if rng.random() < 0.4 else None
    place = rng.uniform(0.2, 0.8, 2)

    def draw(frame_rng: np.random.Generator) -> tuple[Box, Picture]:
        face = kit.face_of(frame_rng, identity)
        view, light, centre = _seen_directly(kit.sources, face, wanted, room_wanted, aspect, place, frame_rng, flip)
        light = light * tint[:, None, None]
        if props is not None:
            light = props(light, view, centre)
        return (centre[0] - view.box[2] / 2, centre[1] - view.box[3] / 2, view.box[2], view.box[3]), light

    return draw


def _seen_directly(
    sources: SourceFolder,
    face: Face,
    wanted: float,
    room: float,
    aspect: float,
    place: np.ndarray,
    rng: np.random.Generator,
    flip: bool,
) -> tuple[View, Picture, tuple[float, float]]:
    """A picture as the scene itself: the frame is a part of it. Returns also where the middle of the face lies in the drawn part."""
    pixels = sources.picture(face.picture)
    height, width = pixels.shape[:2]
    bx, by, bw, bh = face.box
    part_h = min(height, max(bh * room, bw * room / aspect))
    part_w = min(width, part_h * aspect)
    part_w = max(part_w, min(width, (LEAST_CONTEXT + 0.03) * bw))
    part_h = max(part_h, min(height, (LEAST_CONTEXT + 0.03) * bh))
    left = _placed(bx, bw, part_w, width, place[0] + rng.normal(0, 0.01))
    top = _placed(by, bh, part_h, height, place[1] + rng.normal(0, 0.01))
    scale = min(wanted / bw, 1.15)
    view = View(
        width=max(64, round(part_w * scale)),
        height=max(64, round(part_h * scale)),
        box=((bx - left) * scale, (by - top) * scale, bw * scale, bh * scale),
    )
    rx, ry, rw, rh = view.region()
    x0, y0 = left + rx / scale, top + ry / scale
    light = _stretch(pixels, x0, y0, rw / scale, rh / scale, rw, rh)
    centre = (view.box[0] + view.box[2] / 2 - rx, view.box[1] + view.box[3] / 2 - ry)
    # A hand that holds a phone, or a head: a slight turn about the face, the same for whatever is in view.
    angle, stretch = rng.normal(0, 0.02), 1 + rng.normal(0, 0.01)
    x, y = pixel_grid(rh, rw)
    dx, dy = (x - centre[0]) * stretch, (y - centre[1]) * stretch
    light = sample(
        light, centre[0] + dx * np.cos(angle) - dy * np.sin(angle), centre[1] + dx * np.sin(angle) + dy * np.cos(angle)
    )
    if flip:
        light = light.flip(-1)
        view = View(view.width, view.height, (view.width - view.box[0] - view.box[2], *view.box[1:]))
        centre = (rw - centre[0], centre[1])
    return view, light, centre


def _placed(start: float, length: float, part: float, size: float, where: float) -> float:
    """Where a part of a line begins that holds an interval, `where` of the free way along, inside of 0 … size."""
    low, high = max(0.0, start + length * 1.05 - part), min(size - part, start - length * 0.05)
    if high < low:
        low = high = float(np.clip(start + length / 2 - part / 2, 0, max(0, size - part)))
    return float(np.clip(low + (high - low) * where, 0, max(0, size - part)))


def _stretch(pixels: np.ndarray, x: float, y: float, width: float, height: float, columns: int, rows: int) -> Picture:
    """A part of a picture in linear light at another size, area-averaged where it shrinks."""
    x0, y0 = int(np.clip(np.floor(x), 0, pixels.shape[1] - 2)), int(np.clip(np.floor(y), 0, pixels.shape[0] - 2))
    x1 = int(np.clip(np.ceil(x + width), x0 + 2, pixels.shape[1]))
    y1 = int(np.clip(np.ceil(y + height), y0 + 2, pixels.shape[0]))
    return resize(to_linear(pixels[y0:y1, x0:x1]), rows, columns)


def _room_light(rng: np.random.Generator) -> torch.Tensor:
    """Colour and strength of the light on a thing, (3,)."""
    warm = rng.normal(0, 0.08)
    return torch.from_numpy(np.array([1 + warm, 1, 1 - warm], np.float32) * float(np.exp(rng.normal(0, 0.15))))


def _props(kit: Kit, rng: np.random.Generator) -> Callable[[Picture, View, tuple[float, float]], Picture]:
    """Sheets, frames and screens that stand about, so that an edge alone is no sign of a reproduction."""
    things = []
    for _ in range(int(rng.integers(1, 3))):
        picture = kit.sources.picture(int(rng.choice(kit.rooms)))
        things.append((picture, rng.uniform(0, 1, 2), rng.uniform(0.25, 0.9, 2), rng.uniform(0.1, 1.2), rng.random(), rng.normal(0, 0.1)))

    def add(light: Picture, view: View, centre: tuple[float, float]) -> Picture:
        height, width = light.shape[1:]
        x, y = pixel_grid(height, width)
        bw, bh = view.box[2], view.box[3]
        # The head with some room, and the body below it, stay free.
        side = (x - centre[0]).abs() / bw
        free = (side > 0.95) & ((y < centre[1] + 0.5 * bh) | (side > 1.5)) | (y < centre[1] - 1.05 * bh)
        for picture, where, size, brightness, edge, angle in things:
            w, h = size[0] * bw * 2.2, size[1] * bh * 2.2
            cx, cy = where[0] * width, where[1] * height
            u = (x - cx) * np.cos(angle) + (y - cy) * np.sin(angle)
            v = (y - cy) * np.cos(angle) - (x - cx) * np.sin(angle)
            inside = (u.abs() < w / 2) & (v.abs() < h / 2)
            if bool((inside & ~free).any()):
                continue
            content = sample(_small(picture), (u / w + 0.5) * 240, (v / h + 0.5) * 180) * brightness
            border = ((u.abs() > w / 2 - 0.05 * bw) | (v.abs() > h / 2 - 0.05 * bw)) & inside
            light = torch.where(inside[None], content, light)
            light = torch.where(border[None], light.new_full((3, 1, 1), float(0.02 if edge < 0.5 else 0.8)), light)
        return light

    return add


def _small(picture: np.ndarray) -> Picture:
    step = max(1, picture.shape[1] // 240)
    return resize(to_linear(picture[::step, ::step]), 180, 240)


# A reproduction


@dataclass(frozen=True)
class Sheet:
    """A sheet or a display in the hand. Millimetres on it, its origin in the middle of the face."""

    content: tuple[float, float, float, float]  # left, top, right, bottom of the picture
    whole: tuple[float, float, float, float]  # with its border
    corner: float
    mm_per_source_pixel: float


def _reproduction(kit: Kit, rng: np.random.Generator, identity: str, family: str, wanted: float) -> Drawing:
    on_screen = family == "screen" or (family == "filling" and rng.random() < 0.6)
    worn = family == "mask"
    cut = family in ("cut-out", "mask")
    paper = media.paper(int(rng.choice(kit.papers)))
    display = media.display(int(rng.choice(kit.displays)))
    if worn:
        size = float(rng.uniform(1.0, 1.25))
    elif on_screen:
        size = float(rng.uniform(*{"phone": (0.22, 0.5), "tablet": (0.45, 1.0), "monitor": (0.5, 1.3)}[display.kind]))
    else:
        size = float(rng.uniform(0.4, 1.3))
    behind_somebody = worn or (not family == "filling" and rng.random() < 0.4)
    behind = kit.identity(rng) if behind_somebody else None
    room = int(rng.choice(kit.rooms))
    room_wanted = float(rng.uniform(LEAST_CONTEXT + 0.05, 4.6))
    aspect = float(rng.choice([4 / 3, 4 / 3, 3 / 4, 16 / 9, 1]))
    place = rng.uniform(0.2, 0.8, 2)
    flip = bool(rng.random() < 0.5)
    turn = np.array([rng.normal(0, 9), rng.normal(0, 6), rng.normal(0, 4)])
    bend = float(rng.uniform(25, 150) if family == "bent" or (cut and rng.random() < 0.5) else 0)
    shown = kit.face_of(rng, identity)
    still = not on_screen or rng.random() < 0.5
    sheet_seed = int(rng.integers(2**31))
    tint, backdrop_tint = _room_light(rng), _room_light(rng)
    defocus = float(rng.uniform(0, 1.5))
    props = _props(kit, rng) if rng.random() < 0.4 else None
    holes = bool(cut and rng.random() < 0.4)
    tremble = float(rng.uniform(0.2, 1.5))

    def draw(frame_rng: np.random.Generator) -> tuple[Box, Picture]:
        # What stays the same from frame to frame is drawn from a generator of its own.
        same = np.random.default_rng(sheet_seed)
        face = shown if still else kit.face_of(frame_rng, identity)
        if behind is not None:
            wearer = kit.face_of(frame_rng if not worn else same, behind)
            view, backdrop, centre = _seen_directly(
                kit.sources, wearer, wanted, max(room_wanted, 2.3), aspect, place, frame_rng, flip
            )
            grow = 1.0 if worn else float(same.uniform(0.85, 1.4))
        else:
            view, backdrop, centre = _empty_room(kit.sources.picture(room), wanted, room_wanted, aspect, place)
            grow = 1.0
        face_px = view.box[2] * grow * (size if worn else 1)
        # A face larger than its picture has pixels would be a blur that no camera makes.
        face_px = min(face_px, max(view.box[2] * 0.8, face.box[2] * 1.15))
        mm_per_pixel = FACE_MM * size / face_px
        sheet = _sheet(same, face, kit.sources.picture(face.picture), size, family, on_screen, display)
        if not worn:
            centre = (centre[0] + same.normal(0, 0.06) * view.box[2], centre[1] + same.normal(0, 0.06) * view.box[3])
        angles = turn + frame_rng.normal(0, tremble, 3)
        if worn:
            angles = np.array([turn[0] * 0.4, turn[1] * 0.4, 0]) + frame_rng.normal(0, tremble * 0.4, 3)
        to_sheet, to_frame = _pose(angles, centre, mm_per_pixel, 1.15 * max(view.width, view.height))
        height, width = backdrop.shape[1:]
        x, y = pixel_grid(height, width)
        sx, sy = _projected(to_sheet, x, y)
        arc = np.radians(bend) / max(60.0, sheet.whole[2] - sheet.whole[0])
        shade = torch.ones_like(x)
        if bend > 0:
            tight = (sx * arc).clamp(-0.98, 0.98)
            shade = (1 - tight**2).sqrt().clamp_min(0.3) ** float(same.uniform(0.2, 1.2))
            sx = torch.asin(tight) / arc
        content = _content(kit.sources, face, sheet, sx, sy, face_px)
        inside_content = _cover(sheet.content, 0, sx, sy, mm_per_pixel)
        reproduce = media.show_on if on_screen else media.print_on
        make = display if on_screen else paper
        made = reproduce(make, content, sx, sy, mm_per_pixel, same)
        if on_screen:
            dark = float(same.choice([0.0, 0.0, 0.6])) * display.white
            made = made * inside_content + (1 - inside_content) * (dark + display.white * display.black)
            bezel = float(same.choice([0.012, 0.02, 0.5, 0.7], p=[0.5, 0.25, 0.15, 0.1]))
            glass = _cover(_inner(sheet), sheet.corner, sx, sy, mm_per_pixel)
            made = made * glass + (1 - glass) * bezel * tint[:, None, None]
            made = made + _reflections(kit, same, display.gloss, x, y)
        else:
            bare = torch.from_numpy(paper.white)[:, None, None]
            made = (made * inside_content + (1 - inside_content) * bare) * tint[:, None, None] * shade
            made = made * (1 + 0.12 * smooth_noise(same, height, width, max(height, width) * 0.7))
            made = made + _reflections(kit, same, paper.gloss * 0.5, x, y)
        if cut:
            alpha = _scissors(same, face, sheet, sx, sy, holes)
        else:
            alpha = _cover(sheet.whole, sheet.corner, sx, sy, mm_per_pixel)
        backdrop = blur(backdrop * backdrop_tint[:, None, None], 0 if worn else defocus)
        if props is not None:
            backdrop = props(backdrop, view, centre)
        if behind is not None:
            shadow = blur(torch.roll(alpha, (int(same.integers(1, 8)), int(same.integers(-6, 7))), (1, 2)), float(same.uniform(1, 8)))
            backdrop = backdrop * (1 - float(same.uniform(0, 0.5)) * shadow)
        light = backdrop * (1 - alpha) + made * alpha
        if not cut and family != "filling" and same.random() < 0.5:
            light = _fingers(same, light, sheet, sx, sy, mm_per_pixel)
        return _box_on_sheet(to_frame, face, sheet, bend, arc), light

    return draw


def _empty_room(
    pixels: np.ndarray, wanted: float, room: float, aspect: float, place: np.ndarray
) -> tuple[View, Picture, tuple[float, float]]:
    """A part of a room as the whole frame; the face will be in the middle of the returned box."""
    bw, bh = wanted, wanted * 1.2
    height = max(bh * room, bw * room / aspect, (LEAST_CONTEXT + 0.1) * bw / aspect)
    width = height * aspect
    view_w, view_h = round(width), round(height)
    box = ((view_w - bw) * place[0], (view_h - bh) * place[1], bw, bh)
    view = View(view_w, view_h, box)
    rx, ry, rw, rh = view.region()
    ph, pw = pixels.shape[:2]
    scale = max(view_w / pw, view_h / ph)
    light = _stretch(pixels, rx / scale, ry / scale, rw / scale, rh / scale, rw, rh)
    return view, light, (box[0] + bw / 2 - rx, box[1] + bh / 2 - ry)


def _sheet(
    rng: np.random.Generator,
    face: Face,
    pixels: np.ndarray,
    size: float,
    family: str,
    on_screen: bool,
    display: media.Display,
) -> Sheet:
    bx, by, bw, bh = face.box
    mm = FACE_MM * size / bw
    height, width = pixels.shape[:2]
    if family == "filling":
        room = (9.0, 9.0, 9.0, 9.0)
    else:
        loose = float(rng.uniform(0.08, 1.6))
        room = tuple((loose * rng.uniform(0.5, 1.5, 4)).tolist())
    cx, cy = bx + bw / 2, by + bh / 2
    left = (max(0.0, bx - room[0] * bw) - cx) * mm
    top = (max(0.0, by - room[1] * bh) - cy) * mm
    right = (min(width, bx + bw + room[2] * bw) - cx) * mm
    bottom = (min(height, by + bh + room[3] * bh) - cy) * mm
    if family == "filling":
        # Beyond the picture it goes on as its edge does; there is no border to be seen.
        far = 4000.0
        return Sheet((-far, -far, far, far), (-far, -far, far, far), 0, mm)
    content = (left, top, right, bottom)
    if on_screen:
        bars = rng.random() < 0.4
        bezel = float(0 if rng.random() < 0.25 else {"phone": rng.uniform(2, 9), "tablet": rng.uniform(5, 20), "monitor": rng.uniform(6, 30)}[display.kind])
        wide, high = (float(rng.uniform(0, 0.6)) if bars else 0.0), (float(rng.uniform(0, 0.6)) if bars else 0.0)
        glass = (left - wide * (right - left), top - high * (bottom - top), right + wide * (right - left), bottom + high * (bottom - top))
        return Sheet(content, tuple(v + s * bezel for v, s in zip(glass, (-1, -1, 1, 1))), float(rng.uniform(0, 8)), mm)
    border = float(0 if rng.random() < 0.5 else rng.uniform(2, 25))
    return Sheet(content, (left - border, top - border, right + border, bottom + border), 0, mm)


def _inner(sheet: Sheet) -> tuple[float, float, float, float]:
    """The lit glass of a display: what is left of the whole within the bezel, as wide as the narrowest side of it."""
    l, t, r, b = sheet.whole
    cl, ct, cr, cb = sheet.content
    bezel = min(cl - l, ct - t, r - cr, b - cb)
    return l + bezel, t + bezel, r - bezel, b - bezel


def _pose(
    angles: np.ndarray, centre: tuple[float, float], mm_per_pixel: float, focal: float
) -> tuple[np.ndarray, np.ndarray]:
    """Homographies from drawn pixels to the sheet and back, for a sheet turned by yaw, pitch and roll in degrees."""
    yaw, pitch, roll = np.radians(angles)
    ry = np.array([[np.cos(yaw), 0, np.sin(yaw)], [0, 1, 0], [-np.sin(yaw), 0, np.cos(yaw)]])
    rx = np.array([[1, 0, 0], [0, np.cos(pitch), -np.sin(pitch)], [0, np.sin(pitch), np.cos(pitch)]])
    rz = np.array([[np.cos(roll), -np.sin(roll), 0], [np.sin(roll), np.cos(roll), 0], [0, 0, 1]])
    r = ry @ rx @ rz
    depth = focal * mm_per_pixel
    k = np.array([[focal, 0, centre[0]], [0, focal, centre[1]], [0, 0, 1]])
    to_frame = k @ np.column_stack([r[:, 0], r[:, 1], [0, 0, depth]])
    return np.linalg.inv(to_frame), to_frame


def _projected(h: np.ndarray, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    h = h / h[2, 2]
    w = h[2, 0] * x + h[2, 1] * y + 1
    w = torch.where(w.abs() < 1e-3, w.new_full((), 1e-3), w)
    return (h[0, 0] * x + h[0, 1] * y + h[0, 2]) / w, (h[1, 0] * x + h[1, 1] * y + h[1, 2]) / w


def _content(
    sources: SourceFolder, face: Face, sheet: Sheet, sx: torch.Tensor, sy: torch.Tensor, face_px: float
) -> Picture:
    """The reproduced picture at places of the sheet, reduced beforehand to about the size in which it is seen."""
    pixels = sources.picture(face.picture)
    reach = 3.6 * max(face.box[2], face.box[3])
    cx, cy = face.box[0] + face.box[2] / 2, face.box[1] + face.box[3] / 2
    x0, y0 = int(max(0, cx - reach)), int(max(0, cy - reach))
    x1, y1 = int(min(pixels.shape[1], cx + reach)), int(min(pixels.shape[0], cy + reach))
    part = to_linear(pixels[y0:y1, x0:x1])
    ratio = min(1.0, 1.25 * face_px / face.box[2])
    part = resize(part, max(8, round(part.shape[1] * ratio)), max(8, round(part.shape[2] * ratio)))
    fx, fy = part.shape[2] / (x1 - x0), part.shape[1] / (y1 - y0)
    return sample(part, (sx / sheet.mm_per_source_pixel + cx - x0) * fx, (sy / sheet.mm_per_source_pixel + cy - y0) * fy)


def _cover(
    rectangle: tuple[float, float, float, float], corner: float, sx: torch.Tensor, sy: torch.Tensor, mm_per_pixel: float
) -> torch.Tensor:
    """How much of each pixel a rectangle with round corners covers, (1, height, width)."""
    l, t, r, b = rectangle
    dx = torch.maximum(l + corner - sx, sx - r + corner)
    dy = torch.maximum(t + corner - sy, sy - b + corner)
    outside = torch.hypot(dx.clamp_min(0), dy.clamp_min(0)) + torch.maximum(dx, dy).clamp_max(0) - corner
    return (0.5 - outside / mm_per_pixel).clamp(0, 1)[None]


def _scissors(
    rng: np.random.Generator, face: Face, sheet: Sheet, sx: torch.Tensor, sy: torch.Tensor, holes: bool
) -> torch.Tensor:
    """Cut along the face, or along the head with its hair; holes for the eyes where asked."""
    cx, cy = face.box[0] + face.box[2] / 2, face.box[1] + face.box[3] / 2
    points = (face.landmarks - [cx, cy]) * sheet.mm_per_source_pixel
    oval = points[OVAL].copy()
    middle = oval.mean(0)
    oval = middle + (oval - middle) * rng.uniform(1.0, 1.15)
    up = oval[:, 1] < middle[1]
    oval[up, 1] = middle[1] + (oval[up, 1] - middle[1]) * rng.uniform(1.0, 1.55)
    oval[up, 0] = middle[0] + (oval[up, 0] - middle[0]) * rng.uniform(1.0, 1.15)
    # A hand with scissors: not quite along the line.
    oval = oval + np.convolve(rng.normal(0, 2.0, len(oval) + 2), [0.25, 0.5, 0.25], "valid")[:, None]
    masks = [(oval, True)]
    if holes:
        for eye in EYES:
            ring = points[eye]
            masks.append((ring.mean(0) + (ring - ring.mean(0)) * rng.uniform(1.1, 1.9), False))
    # The outline is drawn on the sheet at 0.8 mm and looked up from the frame's pixels.
    low, high = oval.min(0) - 4, oval.max(0) + 4
    columns, rows = np.ceil((high - low) / 0.8).astype(int)
    alpha = torch.zeros(1, rows, columns)
    for outline, keep in masks:
        mask = polygon_mask((outline - low) / 0.8, rows, columns)
        alpha = torch.maximum(alpha, mask) if keep else alpha * (1 - mask)
    return sample(alpha, (sx - low[0]) / 0.8, (sy - low[1]) / 0.8, edge="zeros")


def _reflections(kit: Kit, rng: np.random.Generator, gloss: float, x: torch.Tensor, y: torch.Tensor) -> Picture:
    """What a shiny surface mirrors: the room, out of focus, and lamps."""
    height, width = x.shape
    mirrored = resize(blur(_small(kit.sources.picture(int(rng.choice(kit.rooms)))), 4), height, width).flip(-1)
    out = mirrored * (gloss * float(rng.uniform(0, 0.09))) + float(rng.uniform(0, 0.02))
    if gloss > 0 and rng.random() < 0.45:
        for _ in range(int(rng.integers(1, 3))):
            cx, cy = rng.uniform(0, width), rng.uniform(0, height)
            a, stretch, size = rng.uniform(0, np.pi), rng.uniform(0.15, 1), rng.uniform(0.03, 0.25) * width
            u = ((x - cx) * np.cos(a) + (y - cy) * np.sin(a)) / size
            v = ((y - cy) * np.cos(a) - (x - cx) * np.sin(a)) / (size * stretch)
            edge = float(rng.choice([1, 3]))
            out = out + gloss * float(rng.uniform(0.1, 1.6)) * torch.exp(-((u * u + v * v) ** edge))[None]
    return out


def _fingers(
    rng: np.random.Generator, light: Picture, sheet: Sheet, sx: torch.Tensor, sy: torch.Tensor, mm_per_pixel: float
) -> Picture:
    """A thumb or some fingers over an edge of the sheet."""
    l, t, r, b = sheet.whole
    tone = np.array([0.42, 0.24, 0.16]) * float(np.exp(rng.normal(-0.2, 0.5)))
    side = int(rng.integers(3))  # left, right, bottom
    for k in range(int(rng.integers(1, 4))):
        along = rng.uniform(0.35, 0.95) if side < 2 else rng.uniform(0.1, 0.9)
        reach, thick = rng.uniform(8, 35), rng.uniform(7, 10)
        if side == 2:
            start, end = (l + along * (r - l), b + 40), (l + along * (r - l) + rng.normal(0, 4), b - reach)
        else:
            edge, sign = (l, 1) if side == 0 else (r, -1)
            start, end = (edge - sign * 40, t + along * (b - t) + k * 18), (edge + sign * reach, t + along * (b - t) + k * 18)
        dx, dy = end[0] - start[0], end[1] - start[1]
        s = (((sx - start[0]) * dx + (sy - start[1]) * dy) / (dx * dx + dy * dy)).clamp(0, 1)
        distance = torch.hypot(sx - start[0] - s * dx, sy - start[1] - s * dy)
        alpha = (0.5 - (distance - thick) / mm_per_pixel).clamp(0, 1)[None]
        round_ = (1 - 0.5 * (distance / thick).clamp(0, 1) ** 2)[None]
        light = light * (1 - alpha) + alpha * round_ * torch.from_numpy(tone.astype(np.float32))[:, None, None]
    return light


def _box_on_sheet(to_frame: np.ndarray, face: Face, sheet: Sheet, bend: float, arc: float) -> Box:
    """The face box as a detector would draw it around the reproduced face, in drawn pixels."""
    bx, by, bw, bh = face.box
    xs = np.array([-0.5, 0.5, 0, 0]) * bw * sheet.mm_per_source_pixel
    ys = np.array([0, 0, -0.5, 0.5]) * bh * sheet.mm_per_source_pixel
    if bend > 0:
        xs = np.sin(np.clip(xs * arc, -1.5, 1.5)) / arc
    p = to_frame @ np.stack([xs, ys, np.ones(4)])
    px, py = p[0] / p[2], p[1] / p[2]
    return float(px[0]), float(py[2]), float(px[1] - px[0]), float(py[3] - py[2])


# What every scene goes through


def _metered(light: Picture, box: Box) -> float:
    """Light that the exposure is set on: the face for the most part."""
    bright = luma(light)[0]
    height, width = bright.shape
    x0, x1 = int(np.clip(box[0], 0, width - 2)), int(np.clip(box[0] + box[2], 2, width))
    y0, y1 = int(np.clip(box[1], 0, height - 2)), int(np.clip(box[1] + box[3], 2, height))
    face = bright[y0:y1, x0:x1] if x1 > x0 and y1 > y0 else bright
    return float(0.55 * face.mean() + 0.45 * bright.mean())


def _compressed(frame: np.ndarray, make: Camera, quality: int) -> np.ndarray:
    if make.codec == "jpeg":
        return jpeg(frame, quality, full_colour=quality > 85)
    if make.codec == "h264":
        return through_h264(frame, rate_factor(quality))
    return frame


def _jittered(rng: np.random.Generator, box: Box, width: int, height: int) -> Box:
    """A detector's box is never quite the same."""
    x, y, w, h = box
    grow = np.exp(rng.normal(0, 0.035, 2))
    cx, cy = x + w / 2 + rng.normal(0, 0.02) * w, y + h / 2 + rng.normal(0, 0.02) * h
    w, h = min(w * grow[0], width - 2), min(h * grow[1], height - 2)
    return float(cx - w / 2), float(cy - h / 2), float(w), float(h)
