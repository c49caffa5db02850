"""How help lists commands: under the headings of their groups, each with the first sentence of its own help."""

from typing import Any

from typer.core import TyperGroup

NO_LIMIT = 1000  # of a summary, in characters: one that is too long for its line is wrapped, and never cut


class CommandGroups(TyperGroup):
    """Commands in two columns that are as wide in every group; without groups under one heading."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Writes a section for each group, in the order in which the commands were added."""
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
