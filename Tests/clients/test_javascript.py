"""What only the JavaScript library has: types that are checked, a size, and nothing that needs a build."""

import gzip
import json
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).parents[2]
LIBRARY = ROOT / "Sources/clients/javascript"
#: What a browser loads; node.js is for Node alone.
BROWSER = sorted(path for path in LIBRARY.glob("*.js") if path.name != "node.js")
LARGEST = 15 * 1024


def without_comments(text):
    """The text without what is a comment by itself, and without the spaces before its lines."""
    text = re.sub(r"^\s*/\*\*.*?\*/\n", "", text, flags=re.DOTALL | re.MULTILINE)
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def test_types_are_checked_strictly():
    result = subprocess.run(["tsc", "--project", str(LIBRARY)], capture_output=True, text=True, timeout=300, check=False)
    assert result.returncode == 0, result.stdout


def test_an_app_of_a_few_lines_has_its_types(tmp_path):
    """What is sent and told is typed: a slip of the pen does not compile."""
    apps = {
        "good": ("const { ride } = await hub.call('ride.request', { lat: 45.4, lon: 9.1, passengers: 2 });\nride.length;", None),
        "command": ("hub.call('ride.requst', {});", "ride.requst"),
        "field": ("hub.call('ride.request', { lat: 45.4, passengers: 2 });", "lon"),
        "event": ("hub.on('offer.made', (offer) => offer.riede);", "riede"),
    }
    for name, (text, _) in apps.items():
        lines = [
            f"import {{ Kerbside }} from {json.dumps(str(LIBRARY / 'kerbside.js'))};",
            "const hub = new Kerbside({ url: 'ws://127.0.0.1/v1/connect', token: () => null });",
            text,
        ]
        (tmp_path / f"{name}.ts").write_text("\n".join(lines))
    options = ["--strict", "--noEmit", "--allowJs", "--target", "es2022", "--module", "es2022", "--moduleResolution", "node"]
    command = ["tsc", *options, "--lib", "es2022,dom,dom.iterable", *(f"{name}.ts" for name in apps)]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    for name, (_, word) in apps.items():
        found = [line for line in result.stdout.splitlines() if line.startswith(f"{name}.ts")]
        assert bool(found) == (word is not None) and (word is None or word in result.stdout), result.stdout


def test_it_is_small():
    text = "\n".join(without_comments(path.read_text()) for path in BROWSER)
    size = len(gzip.compress(text.encode(), 9))
    assert size <= LARGEST, f"{size} bytes gzipped; at most {LARGEST}"


def test_the_comments_are_all_that_is_left_out(tmp_path):
    """What is measured runs: it is the library, and not a part of it."""
    for path in BROWSER:
        (tmp_path / path.name).write_text(without_comments(path.read_text()))
    (tmp_path / "package.json").write_text('{"type": "module"}')
    script = "import('./kerbside.js').then(({ Kerbside }) => console.log(typeof Kerbside.prototype.call))"
    result = subprocess.run(["node", "-e", script], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert result.stdout.strip() == "function", result.stderr


def test_the_local_storage_of_a_browser():
    """Its names are its own, and what others keep is not touched."""
    script = (
        "const kept = new Map([['other', '1']]); globalThis.localStorage = { get length() { return kept.size; },"
        "key: (n) => [...kept.keys()][n] ?? null, getItem: (k) => kept.get(k) ?? null, setItem: (k, v) => kept.set(k, v),"
        f"removeItem: (k) => kept.delete(k) }};import({json.dumps(str(LIBRARY / 'storage.js'))}).then(({{ localStore }}) => {{"
        "const one = localStore(); one.put('a', 'x'); one.put('b', 'y'); one.remove('a');"
        "console.log(JSON.stringify([one.all(), [...kept]])); })"
    )
    result = subprocess.run(["node", "-e", script], capture_output=True, text=True, timeout=60, check=True)
    assert json.loads(result.stdout) == [[["b", "y"]], [["other", "1"], ["kerbside:b", "y"]]]


def test_it_depends_on_nothing():
    for path in BROWSER:
        assert set(re.findall(r"(?:from|import) '([^']*)'", path.read_text())) <= {f"./{other.name}" for other in BROWSER}
    imported = set(re.findall(r"(?:from|import) '([^']*)'", (LIBRARY / "node.js").read_text()))
    assert all(name.startswith(("node:", "./")) for name in imported)
