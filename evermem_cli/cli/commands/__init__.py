"""The commands of `evermem`, one file each, in folders for the groups of `evermem --help`."""

from collections.abc import Callable

import typer

from evermem_cli.cli.commands.assistants.connect import connect
from evermem_cli.cli.commands.assistants.examples import examples
from evermem_cli.cli.commands.assistants.hook import hook_app
from evermem_cli.cli.commands.assistants.mcp import mcp
from evermem_cli.cli.commands.assistants.rules import rules_app
from evermem_cli.cli.commands.browse.conflicts import conflicts
from evermem_cli.cli.commands.browse.entities import entities
from evermem_cli.cli.commands.browse.list import list_
from evermem_cli.cli.commands.browse.people import people_app
from evermem_cli.cli.commands.browse.profile import profile
from evermem_cli.cli.commands.browse.related import related
from evermem_cli.cli.commands.browse.scenes import scenes
from evermem_cli.cli.commands.browse.show import show_
from evermem_cli.cli.commands.browse.timeline import timeline
from evermem_cli.cli.commands.browse.view import view
from evermem_cli.cli.commands.corrections.correct import correct
from evermem_cli.cli.commands.corrections.me import me
from evermem_cli.cli.commands.corrections.remember import remember
from evermem_cli.cli.commands.corrections.undo import undo
from evermem_cli.cli.commands.intake.enrich import enrich
from evermem_cli.cli.commands.intake.ingest import ingest
from evermem_cli.cli.commands.intake.schedule import schedule
from evermem_cli.cli.commands.intake.watch import watch
from evermem_cli.cli.commands.protection.access_log import access_log
from evermem_cli.cli.commands.protection.decrypt import decrypt
from evermem_cli.cli.commands.protection.encrypt import encrypt
from evermem_cli.cli.commands.protection.forget import forget
from evermem_cli.cli.commands.protection.privacy import privacy
from evermem_cli.cli.commands.protection.rekey import rekey
from evermem_cli.cli.commands.questions.ask import ask
from evermem_cli.cli.commands.questions.foresights import foresights
from evermem_cli.cli.commands.questions.search import search
from evermem_cli.cli.commands.questions.when import when
from evermem_cli.cli.commands.setup.config import config
from evermem_cli.cli.commands.setup.formats import formats
from evermem_cli.cli.commands.setup.help import help_
from evermem_cli.cli.commands.setup.models import models_app
from evermem_cli.cli.commands.upkeep.backup import backup
from evermem_cli.cli.commands.upkeep.digest import digest
from evermem_cli.cli.commands.upkeep.doctor import doctor
from evermem_cli.cli.commands.upkeep.embed import embed
from evermem_cli.cli.commands.upkeep.export import export
from evermem_cli.cli.commands.upkeep.import_ import import_
from evermem_cli.cli.commands.upkeep.restore import restore
from evermem_cli.cli.commands.upkeep.status import status
from evermem_cli.cli.commands.upkeep.sync import sync

# A group of subcommands has an app of its own.
GROUPS: dict[str, tuple[Callable[..., None] | typer.Typer, ...]] = {
    "Read chats": (ingest, watch, enrich, schedule),
    "Ask": (ask, search, foresights, when),
    "Look around": (profile, timeline, conflicts, scenes, people_app, entities, related, list_, show_, view),
    "Correct": (me, remember, correct, undo),
    "Keep private": (forget, privacy, access_log, encrypt, rekey, decrypt),
    "Maintain the file": (status, doctor, backup, sync, export, import_, embed, digest, restore),
    "Assistants": (connect, mcp, rules_app, examples, hook_app),
    "Set up": (config, models_app, formats, help_),
}


def register(app: typer.Typer) -> None:
    """Adds all commands under the name of their function or app."""
    for group, commands in GROUPS.items():
        for command in commands:
            if isinstance(command, typer.Typer):
                app.add_typer(command, rich_help_panel=group)
            else:
                name = command.__name__.strip("_").replace("_", "-")
                app.command(name, rich_help_panel=group)(command)
