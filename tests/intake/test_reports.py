"""Reports of inputs: what one line of the table says."""

from evermem_cli.intake.reports import InputReport


def test_an_account_of_several_products_has_the_formats_of_all() -> None:
    report = InputReport(path="takeout.zip")
    for name in ("keep", "gemini", "keep"):
        report.add_format(name)
    assert report.format == "keep, gemini"


def test_what_was_new_and_then_edited_leaves_no_fewer_than_none_unchanged() -> None:
    assert InputReport(path="chat.txt", messages=2, new_messages=2, edited_messages=1).unchanged_messages == 0
