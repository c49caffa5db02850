"""The list of commands in help: grouped, each with the first sentence of its own help."""

from typing import Any

from typer.core import TyperGroup

NO_LIMIT = 1000  # maximum characters of a summary; a longer one is wrapped, not cut


class CommandGroups(TyperGroup):
    """Commands in two columns of the same width in every group; under one heading where there are no groups."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Writes one section per group, with the commands in the order in which they were added."""
        longest = max(map(len, self.commands))
        groups: dict[str, list[tuple[str, str]]] = {}
        for name, command in self.commands.items():
            if not command.hidden:
                row = (name.ljust(longest), command.get_short_help_str(NO_LIMIT))
                group = getattr(command, "rich_help_panel", None)
                groups.setdefault(group if isinstance(group, str) else "Commands", []).append(row)
        for heading, rows in groups.items():
            with formatter.section(heading):
                formatter.write_dl(rows)
