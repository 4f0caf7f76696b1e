"""The catalogs of the pages' texts: what each lacks, and that it has nothing else."""

import json
import re
import subprocess

import pytest

from kerbside.hub import ROOT

PAGES = ROOT / "Sources/pages"
CATALOGS = {path.stem: json.loads(path.read_text()) for path in sorted((PAGES / "assets/languages").glob("*.json"))}
ENGLISH = CATALOGS["en"]
SOURCES = "\n".join(path.read_text() for path in PAGES.rglob("*.*") if path.suffix in (".js", ".html"))
#: The others fall back to English where nobody was sure.
COMPLETE = {"en", "de", "fr", "it"}
#: The plural forms that a language has (CLDR); a form more than it needs is said by nobody.
FORMS = {"de": {"one", "other"}, "en": {"one", "other"}, "fr": {"one", "many", "other"}, "it": {"one", "many", "other"},
         "st": {"one", "other"}, "zu": {"one", "other"}}


def texts(message):
    return list(message.values()) if isinstance(message, dict) else [message]


def placeholders(message):
    """What stands in each of its forms."""
    return {frozenset(re.findall(r"{(\w+)}", text)) for text in texts(message)}


def test_m20_the_languages_are_those_of_the_region_and_of_the_communities():
    assert set(CATALOGS) == {"de", "en", "fr", "it", "st", "zu"}
    names = re.search(r"const NAMES = {(.*)}", (PAGES / "assets/language.js").read_text())
    assert set(re.findall(r"(\w+):", names[1])) == set(CATALOGS)


@pytest.mark.parametrize("language", CATALOGS)
def test_a_catalog_has_messages_of_english_with_the_same_values(language):
    catalog = CATALOGS[language]
    unknown = catalog.keys() - ENGLISH.keys()
    assert not unknown, f"{language}.json has what English has not: {sorted(unknown)}"
    for key, message in catalog.items():
        assert placeholders(message) == placeholders(ENGLISH[key]), f"{language}.json: {key} has other values than English"
        assert all(text.strip() for text in texts(message)), f"{language}.json: {key} is empty"
        assert isinstance(message, dict) == isinstance(ENGLISH[key], dict), f"{language}.json: {key} and plural forms"
        if isinstance(message, dict):
            assert "other" in message and message.keys() <= FORMS[language], f"{language}.json: {key} has other plural forms"
    lacks = [key for key in ENGLISH if key not in catalog]
    if lacks:
        print(f"{language}.json lacks {len(lacks)} of {len(ENGLISH)}: {', '.join(lacks)}")
    assert not lacks or language not in COMPLETE, f"{language}.json lacks {lacks}"


def test_what_the_pages_say_is_in_the_catalog_and_nothing_else_is():
    said = set(re.findall(r"""(?:phrase|say)\('([^']+)'""", SOURCES)) | set(re.findall(r'data-message="([^"]+)"', SOURCES))
    assert said <= ENGLISH.keys(), sorted(said - ENGLISH.keys())
    # Ids that are put together, or chosen: their beginnings, or they stand as they are.
    made = set(re.findall(r"(?:phrase|say)\(`([\w.]+\.)\$", SOURCES))
    quoted = set(re.findall(r"'([\w.]+)'", SOURCES))
    unused = [key for key in ENGLISH.keys() - said - quoted if not any(key.startswith(begin) for begin in made)]
    assert not unused, f"nobody says {sorted(unused)}"


def test_the_pages_have_their_types(tmp_path):
    """As the library has: each module is checked strictly, with what it imports."""
    library = PAGES.parent / "clients/javascript"
    project = {
        "extends": str(library / "tsconfig.json"),
        # The hub serves the library below the pages.
        "compilerOptions": {"rootDirs": [str(PAGES / "assets/kerbside"), str(library)]},
        "include": [str(PAGES / "**/*.js")],
    }
    (tmp_path / "tsconfig.json").write_text(json.dumps(project))
    result = subprocess.run(["tsc", "--project", str(tmp_path)], capture_output=True, text=True, timeout=300, check=False)
    assert result.returncode == 0, result.stdout
