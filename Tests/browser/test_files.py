"""What the files of Public/ promise without a browser: who may hold colours, who may write HTML, how long they may be."""
import re
from pathlib import Path

import pytest

PUBLIC = Path(__file__).resolve().parents[2] / "Public"
STYLES, SCRIPTS = sorted((PUBLIC / "css").glob("*.css")), sorted((PUBLIC / "js").glob("*.js"))
#: Raw colours stand here only; palette.css is the table of the xterm palette.
COLOURED = {"tokens.css", "palette.css"}


def code(path):
    """The file without comments and without the contents of data URLs."""
    text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
    return re.sub(r'url\("data:[^"]*"\)', "url()", text)


def test_the_budget_holds():
    assert sum(len(path.read_text().splitlines()) for path in STYLES) <= 2000
    assert sum(len(path.read_text().splitlines()) for path in SCRIPTS) <= 2500


@pytest.mark.parametrize("path", STYLES, ids=lambda path: path.name)
def test_a_stylesheet_keeps_the_rules(path):
    text = code(path)
    assert "!important" not in text
    assert not re.search(r"(^|[\s,>+~])#[a-zA-Z][\w-]*[^;{}]*\{", text), "no id selectors"
    if path.name == "main.css":
        return
    assert re.search(r"@layer (tokens|base|layout|components|states) \{", text)
    if path.name not in COLOURED:
        colours = [found for found in re.findall(r"#[0-9a-fA-F]{3,8}\b|\b(?:rgb|hsl|oklch|oklab|lab|lch)a?\(|light-dark\(", text) if found != "#000"]
        assert not colours, "only tokens hold colours"


def test_every_stylesheet_is_imported_once():
    imported = re.findall(r'@import url\("([^"]+)"\)', (PUBLIC / "css/main.css").read_text())
    assert sorted(imported) == [path.name for path in STYLES if path.name != "main.css"]


def test_every_token_that_is_used_exists():
    text = "".join(code(path) for path in STYLES)
    made = set(re.findall(r"(--[\w-]+)\s*:", text))
    used = set(re.findall(r"var\((--[\w-]+)\)", text))
    set_by_scripts = {"--keyboard"}
    assert used - made - set_by_scripts == set()


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_a_script_keeps_the_rules(path):
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", path.read_text(), flags=re.S)
    if path.name != "patch.js":
        assert not re.search(r"\b(innerHTML|outerHTML\s*=|insertAdjacentHTML|document\.write)\b", text), "HTML enters through patch.js"
    assert "randomUUID" not in text, "secure contexts only (BR-05a)"
    assert not re.search(r"\beval\(|new Function\(|setAttribute\(\"style\"", text)
    if "navigator.clipboard" in text:
        assert "isSecureContext" in text


def test_nothing_is_fetched_from_elsewhere():
    for path in (*STYLES, *SCRIPTS):
        found = [url for url in re.findall(r"https?://[^\s\"')]+", path.read_text()) if not url.startswith("http://www.w3.org/")]
        assert not found, f"{path.name}: {found}"
