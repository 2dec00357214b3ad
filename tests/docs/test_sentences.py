"""Commands within the sentences of the documents are commands that the program has."""

import pytest

from docs.markdown import command_words, spoken
from docs.parse import problem
from support.paths import ROOT

DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_commands_in_sentences_parse(document):
    wrong = [f"{document.name}:{line}: {why}" for line, words in spoken(document) if (why := problem(words))]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("span", "why"),
    [
        ("route-hub serv --dir x", "route-hub takes no serv"),
        ("route-hub serve --no-such", "serve has no --no-such"),
        ("admin organization creat --name X", "admin organization takes no creat"),
        ("device revok DV…", "admin device takes no revok"),
        ("sudo -u route-hub route-hub migrate --dirr /x", "migrate has no --dirr"),
        ("restore --from FILE --dir X more", "restore takes no more"),
    ],
)
def test_what_the_program_does_not_have_is_seen(span, why):
    assert why in problem(command_words(span))
