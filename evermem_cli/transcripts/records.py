"""Parts shared by the JSON records of several formats: content in blocks, ids, names, and errors on one line."""

from typing import Annotated

from pydantic import AliasChoices, BaseModel, BeforeValidator, Field, ValidationError

_SAID = frozenset({"text", "input_text", "output_text", "voice_note"})
_MEDIA = ("image", "audio", "video", "file", "document")


class Block(BaseModel):
    """A part of a message's content."""

    type: str = "text"
    text: str | None = Field(default=None, validation_alias=AliasChoices("text", "transcript"))


Content = str | list[str | Block]


def _as_text(value: object) -> object:
    """A string for ids that are numbers in some exports and for names that are null."""
    if value is None:
        return ""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


Name = Annotated[str, BeforeValidator(_as_text)]
Identifier = Annotated[str, BeforeValidator(_as_text)]


def text_of(content: Content) -> str:
    """The text of a message: its text blocks, one per line, and "[image]" or the like for media.

    Blocks of tools and of a model's thoughts are addressed to nobody and left out.
    """
    if isinstance(content, str):
        return content
    parts = (part if isinstance(part, str) else _block_text(part) for part in content)
    return "\n".join(filter(None, parts))


def _block_text(block: Block) -> str:
    if block.type in _SAID:
        return block.text or ""
    medium = next((word for word in _MEDIA if word in block.type), None)
    return f"[{medium}]" if medium else ""


def first_error(error: ValidationError) -> str:
    """The first error in a record, on one line."""
    first = error.errors(include_url=False, include_input=False)[0]
    if first["type"] == "model_type":
        return "not a JSON object"
    place = ".".join(map(str, first["loc"]))
    return f"{place}: {first['msg']}" if place else first["msg"]
