"""`models`: the model weights on this machine."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evermem_cli.cli.shared.command_groups import CommandGroups
from evermem_cli.cli.shared.options import Json, help_if_bare
from evermem_cli.cli.shared.output import show
from evermem_cli.errors import UsageError

if TYPE_CHECKING:
    from evermem_cli.cli.shared.session import Session
    from evermem_cli.engines.catalog import Model

models_app = typer.Typer(
    name="models", help="List, download, check or try models.", cls=CommandGroups, rich_markup_mode=None
)
Name = Annotated[str, typer.Argument(metavar="NAME", help="A name of `evermem models list`.")]
Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[NAME…]",
        help="Names of models; if left out, the embedder and the language model of the settings.",
        show_default=False,
    ),
]


@models_app.callback(invoke_without_command=True)
def bare(context: typer.Context) -> None:
    """List, download, check or try models."""
    help_if_bare(context)


@models_app.command("list")
def list_(json: Json = False) -> None:
    """List the models that evermem knows, and which are installed."""
    from evermem_cli.cli.presentation import documents, screens
    from evermem_cli.cli.shared.session import Session

    session = Session.open()
    known = session.engines.known_models()
    session.engines.lacks_llm("none of the language models can be used")
    show(documents.models(known), screens.models(known), as_json=json)


@models_app.command()
def pull(
    names: Names = None,
    from_file: Annotated[
        Path | None,
        typer.Option("--from-file", metavar="PATH", help="Copy the weights from this file.", show_default=False),
    ] = None,
) -> None:
    """Download weights and check their SHA-256. An interrupted download is resumed."""
    from evermem_cli.cli.shared.session import Session

    session = Session.open()
    chosen = _chosen(session, names)
    if from_file and len(chosen) != 1:
        raise UsageError("--from-file is for one model", "name it: evermem models pull NAME --from-file PATH")
    for model in chosen:
        path = session.engines.take(model, from_file.expanduser()) if from_file else session.engines.pull(model)
        session.note(f"{model.name}: {path}")


@models_app.command()
def verify(names: Names = None) -> None:
    """Check the SHA-256 of installed weights."""
    from evermem_cli.cli.shared.session import Session
    from evermem_cli.engines import weights

    session = Session.open()
    for model in _chosen(session, names):
        weights.verify(model, session.settings.models_dir)
        session.note(f"{model.name}: as published")


@models_app.command("try")
def try_(name: Name, json: Json = False) -> None:
    """Try a language model on a few small items, and keep the result."""
    from evermem_cli.cli.lookups.trials import attempt_beside_default
    from evermem_cli.cli.presentation import trials
    from evermem_cli.cli.shared.session import Session

    results = attempt_beside_default(Session.open(), name)
    show(trials.document(results), trials.screen(results), as_json=json)


@models_app.command("recommend")
def recommend_(json: Json = False) -> None:
    """Try each installed language model that was not tried yet for 20 seconds, and recommend one."""
    from evermem_cli.cli.lookups.trials import recommend
    from evermem_cli.cli.presentation import trials
    from evermem_cli.cli.shared.session import Session

    made = recommend(Session.open())
    show(trials.recommendation_document(made), trials.recommendation_screen(made), as_json=json)


@models_app.command()
def path(name: Name) -> None:
    """Print the path of a model's weights."""
    from evermem_cli.cli.shared.session import Session
    from evermem_cli.engines import catalog, weights

    typer.echo(weights.locate(catalog.find(name), Session.open().settings.models_dir))


def _chosen(session: "Session", names: list[str] | None) -> "list[Model]":
    from evermem_cli.engines import catalog

    return [catalog.find(name) for name in names] if names else session.engines.models_in_use()
