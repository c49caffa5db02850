"""What the server offers and tells, in the words of the protocol's SDK."""

from typing import Any

import mcp_types as types

from evermem_cli.cli.presentation.documents import Document
from evermem_cli.errors import EvermemError
from evermem_cli.mcp.budget import rendered
from evermem_cli.mcp.resources import Resource
from evermem_cli.mcp.tools import Tool

JSON = "application/json"


def tool(offered: Tool) -> types.Tool:
    """A tool as a client lists it."""
    hints = types.ToolAnnotations(
        title=offered.title,
        read_only_hint=not offered.adds,
        destructive_hint=False,
        idempotent_hint=True,
        open_world_hint=False,
    )
    return types.Tool(
        name=offered.name,
        title=offered.title,
        description=offered.description,
        input_schema=offered.input_schema,
        output_schema=offered.output_schema,
        annotations=hints,
    )


def resource(offered: Resource) -> types.Resource:
    """A resource as a client lists it."""
    named: dict[str, Any] = {"uri": offered.uri, "name": offered.name, "title": offered.title}
    return types.Resource(**named, description=offered.description, mime_type=JSON)


def contents(offered: Resource, document: Document) -> types.ReadResourceResult:
    """What a resource holds."""
    text = types.TextResourceContents(uri=offered.uri, mime_type=JSON, text=rendered(document))
    return types.ReadResourceResult(contents=[text])


def result(document: Document) -> types.CallToolResult:
    """What a tool tells, for clients that read documents and for those that read text."""
    content = types.TextContent(type="text", text=rendered(document))
    return types.CallToolResult(content=[content], structured_content=document)


def refusal(error: EvermemError) -> types.CallToolResult:
    """What is wrong and what to do, for the client's model to read."""
    document = {"error": {"kind": error.kind, "message": error.message, "hint": error.hint}}
    content = types.TextContent(type="text", text=line(error))
    return types.CallToolResult(content=[content], structured_content=document, is_error=True)


def message(text: str) -> types.PromptMessage:
    """A prompt's text, said by the user."""
    return types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))


def line(error: EvermemError) -> str:
    """An error and what to do about it."""
    return f"{error.message} ({error.hint})" if error.hint else error.message
