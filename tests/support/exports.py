"""What the tests of readers share: exports as bytes, and what is read of them."""

import io
import zipfile
from datetime import UTC
from pathlib import Path
from typing import Any

from evermem_cli.memory import Finding, Problem, Skipped
from evermem_cli.transcripts import ReadOptions, read

Read = tuple[list[str], int, list[Problem]]  # the texts, how many messages were left out, and what was unusable


def reading(source: Path | bytes, form: str | None = None) -> Read:
    findings: list[Finding] = []
    stream = io.BytesIO(source) if isinstance(source, bytes) else source
    found = list(read(stream, ReadOptions(tz=UTC, format=form), findings.append))
    texts = [turn.text for transcript in found for turn in transcript.turns]
    skipped = sum(each.messages for each in findings if isinstance(each, Skipped))
    return texts, skipped, [each for each in findings if isinstance(each, Problem)]


def chatgpt(*texts: str) -> dict[str, Any]:
    parents = [None, *map(str, range(len(texts)))]
    return {
        "conversation_id": texts[0],
        "mapping": {
            str(place): {
                "parent": parents[place],
                "message": {"author": {"role": "user"}, "content": {"content_type": "text", "parts": [text]}},
            }
            for place, text in enumerate(texts)
        },
    }


def zipped(members: dict[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return data.getvalue()
