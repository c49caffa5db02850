"""What a user can read of evermem: the README and the pages of `evermem help`."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "evermem_cli" / "help").glob("*.md"))


def manual() -> str:
    """The README and all pages, as one text."""
    return "\n".join(page.read_text(encoding="utf-8") for page in (ROOT / "README.md", *PAGES))
