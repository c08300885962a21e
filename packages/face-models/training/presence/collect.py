"""Brings the pictures of `sources/pictures.json` into a work folder: every file of a pinned commit below the paths that are listed, once.

The folder has `SOURCE/BLOB.ext`, named by git's hash of the contents, and `index.json`. What the commits hold is checked by git itself: a commit's hash covers every file.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

SOURCES = Path(__file__).parents[1] / "sources" / "pictures.json"
PICTURES = (".jpg", ".jpeg", ".png", ".webp")
#: Smaller files are icons, larger ones scans.
SMALLEST, LARGEST = 6_000, 25_000_000
#: In names of what shows nobody.
NOBODY = ("logo", "icon", "favicon", "screenshot", "sprite", "badge", "diagram", "chart", "plot")


def collect(folder: Path, mirror: Path | None, data: Path | None) -> None:
    """Writes what is not there yet. `mirror` has repositories as `OWNER+NAME/repo`, which are not fetched; `data` folders of pictures as test data have them.

    Raises SystemExit where a repository lacks its commit.
    """
    listed = json.loads(SOURCES.read_text())
    pictures, seen = [], set()
    for source in listed:
        local = data / "faces" / "congress-portraits" if data is not None and source["name"] == "congress" else None
        if local is not None and (local / "images").is_dir():
            found = [(f"images/{path.name}", _blob_of(path), path.read_bytes) for path in sorted((local / "images").iterdir())]
        else:
            found = _listed(_repository(folder, source, mirror), source)
        target = folder / source["name"]
        target.mkdir(parents=True, exist_ok=True)
        count = 0
        for path, blob, contents in found:
            if blob in seen:
                continue
            seen.add(blob)
            file = target / f"{blob}{Path(path).suffix.lower()}"
            if not file.exists():
                bytes_ = contents()
                if not bytes_:
                    continue
                file.write_bytes(bytes_)
            # Whoever is seen in one repository may be seen in it again, unless every file is another person's.
            group = f"{source['name']}/{Path(path).stem}" if source["identity"] == "file" else source["name"]
            pictures.append({"file": str(file.relative_to(folder)), "source": source["name"], "path": path, "group": group})
            count += 1
        print(f"{source['name']}: {count} pictures", flush=True)
    (folder / "index.json").write_text(json.dumps(pictures, indent=0) + "\n")


def _repository(folder: Path, source: dict, mirror: Path | None) -> Path:
    repository, commit = source["repository"], source["commit"]
    if mirror is not None:
        local = mirror / repository.replace("/", "+") / "repo"
        if local.is_dir() and _git(local, "cat-file", "-e", f"{commit}^{{commit}}") is not None:
            return local
    local = folder / ".repositories" / repository.replace("/", "+")
    local.mkdir(parents=True, exist_ok=True)
    if _git(local, "cat-file", "-e", f"{commit}^{{commit}}") is None:
        subprocess.run(["git", "init", "-q", str(local)], check=True)
        fetch = ["git", "-C", str(local), "fetch", "-q", "--depth", "1", f"https://github.com/{repository}", commit]
        if subprocess.run(fetch).returncode != 0:
            raise SystemExit(f"{repository} has no commit {commit}, or can't be reached")
    return local


def _listed(repository: Path, source: dict) -> list:
    lines = (_git(repository, "ls-tree", "-r", "-l", "-z", source["commit"]) or b"").decode().split("\0")
    found = []
    for line in filter(None, lines):
        about, path = line.split("\t", 1)
        _, kind, blob, size = about.split()
        name = path.lower()
        # A copy that lacks a large file has no size of it.
        wanted = kind == "blob" and name.endswith(PICTURES) and size.isdigit() and SMALLEST <= int(size) <= LARGEST
        if wanted and path.startswith(tuple(source["paths"])) and not any(word in name for word in NOBODY):
            found.append((path, blob, lambda blob=blob: _git(repository, "cat-file", "blob", blob)))
    return found


def _blob_of(path: Path) -> str:
    return (_git(path.parent, "hash-object", str(path)) or b"").decode().strip()


def _git(repository: Path, *arguments: str) -> bytes | None:
    """What git answers; None where it fails, which a copy that lacks large files does for these."""
    done = subprocess.run(["git", "-C", str(repository), *arguments], capture_output=True)
    return done.stdout if done.returncode == 0 else None
