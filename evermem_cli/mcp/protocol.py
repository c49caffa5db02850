"""Tools, resources, results and errors as objects of the protocol's SDK."""

from typing import Any

import mcp_types as types

from evermem_cli.cli.presentation.documents import Document
from evermem_cli.errors import EvermemError, StoreBusy, UsageError
from evermem_cli.mcp.budget import rendered
from evermem_cli.mcp.resources import Resource
from evermem_cli.mcp.tools import Tool

JSON = "application/json"
AGAIN = "call again in some seconds"


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
    """The content of a resource."""
    text = types.TextResourceContents(uri=offered.uri, mime_type=JSON, text=rendered(document))
    return types.ReadResourceResult(contents=[text])


def result(document: Document) -> types.CallToolResult:
    """A tool's result, as JSON text and as a structured document."""
    content = types.TextContent(type="text", text=rendered(document))
    return types.CallToolResult(content=[content], structured_content=document)


def refusal(error: EvermemError) -> types.CallToolResult:
    """An error with its hint, for the client's model: as text, since clients hold a document to the tool's schema."""
    return types.CallToolResult(content=[types.TextContent(type="text", text=line(error))], is_error=True)


def message(text: str) -> types.PromptMessage:
    """The text of a prompt as a message of the user."""
    return types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))


def line(error: EvermemError) -> str:
    """An error and its hint on one line."""
    return f"{error.message} ({advice})" if (advice := hint(error)) else error.message


def hint(error: EvermemError) -> str:
    """What the client's model can do. It has tools and no command line, so that the user mends what is not its call."""
    if isinstance(error, StoreBusy):
        return AGAIN
    if isinstance(error, UsageError) or not error.hint:
        return error.hint
    return f"tell the user how to mend it: {error.hint}"
