"""Text to speech with eSpeak NG, from the library that the package espeakng-loader carries.

eSpeak NG is GPL 3: only the program synops-tts, a process of its own, loads this module.
"""

from __future__ import annotations

import ctypes
import wave
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from synops.tools.failures import NotConfigured

ENGINE: Final = "espeak-ng"
# What a person may ask for, and what the library calls it. There is no voice for nynorsk.
VOICES: Final = {"nb": "nb", "no": "nb", "sv": "sv", "da": "da", "en-gb": "en", "en": "en"}
VARIANTS: Final = {"neutral": "", "female": "+f3", "male": "+m3"}
WORDS_PER_MINUTE: Final = 155

_SYNCHRONOUS_RETRIEVAL = 1
_RATE = 1
_BY_CHARACTER = 1
_UTF8 = 1
_Callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p)


def speak(paragraphs: Sequence[str], target: Path, language: str, gender: str, spoken: Callable[[float], None]) -> None:
    """Read paragraphs aloud into a WAV file, with a pause after each. Raises NotConfigured without library or voice."""
    library, rate = _library()
    voice = VOICES.get(language)
    if voice is None or library.espeak_SetVoiceByName((voice + VARIANTS[gender]).encode()) != 0:
        raise NotConfigured(
            f'no voice for "{language}". Available: nb, no, sv, da, en-gb (espeak-ng). Use --language nb.'
        )
    library.espeak_SetParameter(_RATE, WORDS_PER_MINUTE, 0)
    with wave.open(str(target), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)

        def heard(samples: Any, count: int, _events: Any) -> int:
            if samples and count > 0:
                file.writeframes(ctypes.string_at(samples, count * 2))
            return 0

        callback = _Callback(heard)  # kept: the library calls it after this line
        library.espeak_SetSynthCallback(callback)
        for number, paragraph in enumerate(paragraphs, start=1):
            text = paragraph.encode() + b"\0"
            library.espeak_Synth(text, len(text), 0, _BY_CHARACTER, 0, _UTF8, None, None)
            library.espeak_Synchronize()
            file.writeframes(bytes(rate))  # half a second
            spoken(number / len(paragraphs))


def _library() -> tuple[Any, int]:
    try:
        import espeakng_loader
    except ImportError as error:
        raise NotConfigured("no speech engine is installed. Run: pip install espeakng-loader==0.2.4") from error
    library = ctypes.CDLL(str(espeakng_loader.get_library_path()))
    data = str(espeakng_loader.get_data_path()).encode()
    rate = library.espeak_Initialize(_SYNCHRONOUS_RETRIEVAL, 0, data, 0)
    if rate <= 0:
        raise NotConfigured(f"espeak-ng can't be started with the data in {data.decode()}")
    return library, rate
