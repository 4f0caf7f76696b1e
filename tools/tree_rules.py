"""The rules of this tree that no compiler or linter knows: which target may import which, sizes, comments."""

import json
import pathlib
import re
import subprocess
import sys

C_TARGETS = {"CLibuv", "CLibwebsockets", "COpenSSL", "CHiredis", "CZip"}
SEES_C = {"EventLoop", "WebSocketServer", "RedisLink", "Tokens", "GTFS"}
MAX_LINES = 400

IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:public |package |internal |fileprivate |private )?"
    r"import\s+(?:struct |class |enum |func |var |let |typealias |protocol )?(\w+)",
    re.MULTILINE,
)
NEEDS_REASON = re.compile(r"@unchecked Sendable|nonisolated\(unsafe\)|unowned\(unsafe\)")
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")

errors, warnings = [], []


def targets():
    """name → names of the targets that it may import, as Package.swift has it."""
    text = subprocess.run(["swift", "package", "dump-package"], check=True, capture_output=True, text=True).stdout
    return {
        target["name"]: {dependency["byName"][0] for dependency in target["dependencies"] if "byName" in dependency}
        for target in json.loads(text)["targets"]
    }


def check_imports(allowed):
    for path in sorted(pathlib.Path("Sources").rglob("*.swift")):
        target = path.parts[1]
        for match in IMPORT.finditer(path.read_text()):
            module = match[1]
            line = path.read_text()[: match.start(1)].count("\n") + 1
            if module in C_TARGETS and target not in SEES_C:
                errors.append(f"{path}:{line}: {module} is imported outside {', '.join(sorted(SEES_C))}")
            elif module in allowed and module != target and module not in allowed.get(target, set()):
                errors.append(f"{path}:{line}: {target} does not depend on {module} in Package.swift")


def check_text(path):
    lines = path.read_text().splitlines()
    if len(lines) > MAX_LINES:
        warnings.append(f"{path}: {len(lines)} lines; a file is one idea, split it before it has {MAX_LINES}")
    for number, line in enumerate(lines, 1):
        if UNFINISHED.search(line) and path.name != pathlib.Path(__file__).name:
            errors.append(f"{path}:{number}: unfinished: {line.strip()}")
        if path.suffix == ".swift" and path.parts[0] == "Sources" and NEEDS_REASON.search(line):
            # The comment above counts whole.
            first = number - 1
            while first > 0 and lines[first - 1].strip().startswith("//"):
                first -= 1
            if not any("because" in near for near in lines[first:number]):
                errors.append(f'{path}:{number}: no "because" on this line or in the comment above')


def main():
    check_imports(targets())
    hidden = {".build", ".venv", "__pycache__", "data"}
    for top in ("Sources", "Tests", "tools"):
        for path in sorted(pathlib.Path(top).rglob("*")):
            is_generated = path.name.endswith(".pb.swift")
            if hidden.isdisjoint(path.parts) and not is_generated and path.suffix in (".swift", ".lua", ".py", ".h"):
                check_text(path)
    for text in warnings:
        print("warning:", text)
    for text in errors:
        print("error:", text)
    return 1 if errors else 0


sys.exit(main())
