"""The rules of this tree that no compiler or linter knows: which target may import which, sizes, comments."""

import itertools
import json
import pathlib
import re
import subprocess
import sys

C_TARGETS = {"CLibuv", "CLibwebsockets", "COpenSSL", "CHiredis", "CZip", "CSQLite", "CLibpq", "CQRencode", "CZlib", "CCurl",
             "CHubFiles", "CTurn"}
SEES_C = {
    "EventLoop", "WebSocketServer", "RedisLink", "Tokens", "GTFS", "Records", "QRCode", "PageFiles", "HubFiles", "WebPush",
    "PMTiles", "KerbsideClientOpenSSL",
}
# The targets of the client library stand in a folder of this one, beside those for other languages.
CLIENTS = ("Sources", "clients", "swift")
MAX_LINES = 400
# Of Lua, whose format no tool checks.
MAX_WIDTH = 150
GENERATED = ("clients/python/kerbside/messages.py", "clients/swift/KerbsideClient/Messages/*.swift")
# Where a file lies that is in a target's directory itself.
ROOT = "."

IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:public |package |internal |fileprivate |private )?"
    r"import\s+(?:struct |class |enum |func |var |let |typealias |protocol )?(\w+)",
    re.MULTILINE,
)
TYPE = re.compile(
    r"^(?P<indent>[ \t]*)(?!import )(?P<before>(?:@\w+(?:\([^)\n]*\))?[ \t]+|[a-z]+(?:\(\w+\))?[ \t]+)*?)"
    r"(?:struct|class|enum|actor|protocol|typealias)[ \t]+(?P<name>[A-Z]\w*)",
    re.MULTILINE,
)
# A name behind a dot is a member of something else.
USE = re.compile(r"(?<![.\w])[A-Z]\w*")
# What is between the quotes is no use of a type, but for what is put in.
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|""".*?"""|#"(?:[^"\n]|"(?!#))*"#|"(?:\\.|[^"\\\n])*"', re.DOTALL)
PUT_IN = re.compile(r"\\#?\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
CAPABILITY = re.compile(r"^(?:final )?class (\w+): [^{]*\bCapability\b", re.MULTILINE)
STORED = re.compile(r"^    (?:private\(set\) )?(?:lazy )?var (\w+)\b(?![^\n]*\{)", re.MULTILINE)
# Puts the capabilities together, and so sets what they tell one another.
ROOM_OF_ALL = "Worker"
NEEDS_REASON = re.compile(r"@unchecked Sendable|nonisolated\(unsafe\)|unowned\(unsafe\)")
# What commands write goes through Terminal.
WRITES = re.compile(r"(?<![.\w])(?<!func )print\(|FileHandle\.standard(?:Output|Error)\b")
COMMANDS = ("Sources", "kerbside")
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")

errors = []


def targets():
    """name → names of the targets that it may import, as Package.swift has it."""
    text = subprocess.run(["swift", "package", "dump-package"], check=True, capture_output=True, text=True).stdout
    return {
        target["name"]: {dependency["byName"][0] for dependency in target["dependencies"] if "byName" in dependency}
        for target in json.loads(text)["targets"]
    }


def check_imports(allowed):
    for path in sorted(pathlib.Path("Sources").rglob("*.swift")):
        target = path.parts[3] if path.parts[:3] == CLIENTS else path.parts[1]
        for match in IMPORT.finditer(path.read_text()):
            module = match[1]
            line = path.read_text()[: match.start(1)].count("\n") + 1
            if module in C_TARGETS and target not in SEES_C:
                errors.append(f"{path}:{line}: {module} is imported outside {', '.join(sorted(SEES_C))}")
            elif module in allowed and module != target and module not in allowed.get(target, set()):
                errors.append(f"{path}:{line}: {target} does not depend on {module} in Package.swift")


def code(path):
    """A file's text without comments and without what its strings say."""
    return NO_CODE.sub(lambda match: " ".join(PUT_IN.findall(match[0])) if match[0][0] in '"#' else " ", path.read_text())


def folder_graph(target):
    """folder → folder whose types it names → those types. A name that a folder also has for a type of one file, or for one
    within another type, is not looked for there."""
    texts, declared, own = {}, {}, {}
    for path in sorted(target.rglob("*.swift")):
        parts = path.relative_to(target).parts
        texts.setdefault(parts[0] if len(parts) > 1 else ROOT, []).append(path)
    if set(texts) <= {ROOT}:
        return {}
    for folder, paths in texts.items():
        texts[folder] = "\n".join(map(code, paths))
        for match in TYPE.finditer(texts[folder]):
            if match["indent"] or "private" in match["before"]:
                own.setdefault(folder, set()).add(match["name"])
            else:
                declared[match["name"]] = folder
    graph = {}
    for folder, text in texts.items():
        for name in set(USE.findall(text)) - own.get(folder, set()):
            if (other := declared.get(name, folder)) != folder:
                graph.setdefault(folder, {}).setdefault(other, []).append(name)
    return graph


def circle(graph):
    """Folders in a circle, the first one again at the end; none when there is no circle."""
    done = set()

    def walk(folder, trail):
        if folder in trail:
            return [*trail[trail.index(folder) :], folder]
        if folder in done:
            return []
        for other in sorted(graph.get(folder, {})):
            if found := walk(other, [*trail, folder]):
                return found
        done.add(folder)
        return []

    return next((found for folder in sorted(graph) if (found := walk(folder, []))), [])


def check_folders():
    """Folders of a target see one another in one direction only. What lies in the target itself belongs to no folder: all may
    use it, so it uses none of them."""
    for target in sorted(path for path in pathlib.Path("Sources").iterdir() if path.is_dir()):
        graph = folder_graph(target)
        for other, names in graph.pop(ROOT, {}).items():
            errors.append(f"{target}: what uses {', '.join(sorted(names)[:5])} of {other} belongs into a folder")
        if found := circle(graph):
            steps = [f"{a} uses {', '.join(sorted(graph[a][b])[:5])} of {b}" for a, b in itertools.pairwise(found)]
            errors.append(f"{target}: a circle of folders, {' → '.join(found)}: {'; '.join(steps)}")


def check_rooms():
    """What a capability of the hub keeps is its own: others call it, by the name under which it was handed to them."""
    hub = pathlib.Path("Sources/Hub")
    texts = {path: code(path) for path in sorted(hub.rglob("*.swift"))}
    for owner, text in texts.items():
        for match in CAPABILITY.finditer(text):
            name, body = match[1], text[match.end() :].split("\n}\n")[0]
            uses = [rf"\b{name[0].lower()}{name[1:]}\.{state}\b" for state in STORED.findall(body)]
            for path, other in texts.items():
                if path.parent != owner.parent and path.parent.name != ROOM_OF_ALL and uses:
                    for use in re.findall("|".join(uses), other):
                        errors.append(f"{path}: {use} is what {name} keeps for itself")


def check_text(path):
    lines = path.read_text().splitlines()
    if len(lines) > MAX_LINES:
        errors.append(f"{path}: {len(lines)} lines; a file is one idea, split it: at most {MAX_LINES}")
    for number, line in enumerate(lines, 1):
        if path.suffix == ".lua" and len(line) > MAX_WIDTH:
            errors.append(f"{path}:{number}: {len(line)} characters; at most {MAX_WIDTH}")
        if UNFINISHED.search(line) and path.name != pathlib.Path(__file__).name:
            errors.append(f"{path}:{number}: unfinished: {line.strip()}")
        if path.suffix == ".swift" and path.parts[:2] == COMMANDS and WRITES.search(line):
            errors.append(f"{path}:{number}: written past Terminal, which shows what a terminal would obey")
        if path.suffix == ".swift" and path.parts[0] == "Sources" and NEEDS_REASON.search(line):
            # The comment above counts whole.
            first = number - 1
            while first > 0 and lines[first - 1].strip().startswith("//"):
                first -= 1
            if not any("because" in near for near in lines[first:number]):
                errors.append(f'{path}:{number}: no "because" on this line or in the comment above')


def check_pages():
    """What browsers load is in the program: each file has its place in the table."""
    table = pathlib.Path("Sources/CHubFiles/pages.c").read_text()
    library = [path for path in pathlib.Path("Sources/clients/javascript").glob("*.js") if path.name != "node.js"]
    for path in sorted([*pathlib.Path("Sources/pages").rglob("*"), *library]):
        # Types are for who writes the pages.
        is_served = path.is_file() and not path.name.endswith(".d.ts")
        if is_served and f'#embed "../{path.relative_to("Sources")}"' not in table:
            errors.append(f"{path}: is not in Sources/CHubFiles/pages.c")


def main():
    check_imports(targets())
    check_folders()
    check_rooms()
    check_pages()
    hidden = {".build", ".venv", "__pycache__", "data"}
    for top in ("Sources", "Tests", "tools"):
        for path in sorted(pathlib.Path(top).rglob("*")):
            is_generated = path.name.endswith(".pb.swift") or any(map(path.match, GENERATED))
            if hidden.isdisjoint(path.parts) and not is_generated and path.suffix in (".swift", ".lua", ".py", ".h"):
                check_text(path)
    for text in errors:
        print("error:", text)
    return 1 if errors else 0


sys.exit(main())
