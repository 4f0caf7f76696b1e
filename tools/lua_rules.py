"""Compiles and lints the Redis functions (.luacheckrc), and checks what they import from one another: each is a module of the
library that FunctionLibrary.swift makes of them, in the order of functions.c. What Swift calls by its name
is registered, once, named after a capability and a verb, and given its arguments by their names, in order; the settings that
it writes are those that functions read."""

import pathlib
import re
import shutil
import subprocess
import sys

HUB = pathlib.Path("Sources/Hub")
ORDER = pathlib.Path("Sources/CHubFiles/functions.c")


def run(*command):
    """(exit code, what it printed)."""
    result = subprocess.run(command, check=False, capture_output=True, text=True)
    return result.returncode, result.stdout + result.stderr


def compiled(paths):
    """What Lua says of each file."""
    found = []
    for path in paths:
        code, said = run("luac5.1", "-p", str(path))
        if code:
            found.append(said.strip().removeprefix("luac5.1: "))
    return found


def exported(text):
    """The names that a module's last statement returns."""
    table = re.search(r"^return \{([^}]*)\}\s*\Z", text, re.MULTILINE)
    return set(re.findall(r"(\w+) =", table[1])) if table else set()


def imported(text):
    """(line, module or None, name) of all that a module takes from others; None where it is not written as it should be."""
    for match in re.finditer(r"^.*\bimport\(.*$", text, re.MULTILINE):
        line = text.count("\n", 0, match.start()) + 1
        parts = re.fullmatch(r"local ([\w, ]+) = import\('(\w+)', ([\w, ']+)\)", match[0])
        names = parts[1].split(", ") if parts else []
        if not parts or [f"'{name}'" for name in names] != parts[3].split(", "):
            yield line, None, match[0]
        for name in names:
            yield line, parts[2], name


def strangers(paths):
    """Imports of what is not there, or comes later, and exports that nobody imports."""
    found, known, used = [], {}, set()
    for path in paths:
        text = path.read_text()
        for number, module, name in imported(text):
            if module is None:
                found.append(f"{path}:{number}: write it as local a, b = import('module', 'a', 'b'): {name}")
            elif module not in known:
                found.append(f"{path}:{number}: the module {module} does not come before it in {ORDER}")
            elif name not in known[module][1]:
                found.append(f"{path}:{number}: {module}.lua does not return {name}")
            used.add((module, name))
        known[path.stem] = (path, exported(text))
    for module, (path, names) in known.items():
        found += [f"{path}: nobody imports {name}" for name in sorted(names) if (module, name) not in used]
    return found


def registered(paths):
    """(path, name, its arguments' names) of all functions. A register in a function is none: that is how core.lua makes them."""
    for path in paths:
        for name, names in re.findall(r"^register\('(\w+)', \{(.*?)\}, function", path.read_text(), re.DOTALL | re.MULTILINE):
            yield path, name, re.findall(r"'([\w?.]+)'", names)


def labels(text, start):
    """The labels of the dictionary literal that opens at `start`."""
    found, depth, inside = [], 0, False
    for at in range(start, len(text)):
        if text[at] == '"' and not inside and depth == 1 and (label := re.match(r'"(\w+)": ', text[at:])):
            found.append(label[1])
        inside ^= text[at] == '"'
        if not inside:
            depth += (text[at] in "([{") - (text[at] in ")]}")
        if depth == 0:
            return found
    return found


CALL = re.compile(r'\b(?:call|retryUntilDone|change)\((?:driver, vehicle,)?\s*"(\w+)"(?:,\s*(\[|\w+(?=[,)])))?')


def calls(text):
    """(line, function, labels of its arguments) of all calls in a Swift file."""
    for call in CALL.finditer(text):
        start = call.end() - 1 if call[2] == "[" else None
        if call[2] and call[2] != "[":
            begin = f"let {call[2]}: FunctionArguments = "
            start = text.rfind(begin, 0, call.start()) + len(begin)
        yield text.count("\n", 0, call.start()) + 1, call[1], labels(text, start) if start is not None else []


def misnamed(paths):
    """Functions that are registered twice, say only half of what they do, or are called as nobody registers them, or with
    other arguments."""
    found, known = [], {}
    for path, name, names in registered(paths):
        if "_" not in name:
            found.append(f"{path}: {name}: a function is named after a capability and a verb, as seat_book")
        if name in known:
            found.append(f"{path}: {name} is registered before, too")
        known[name] = [argument for argument in names if argument != "..."]
    swift = {path: path.read_text() for path in sorted(HUB.rglob("*.swift"))}
    for path, text in swift.items():
        for line, name, given in calls(text):
            wanted = [argument.rstrip("?") for argument in known.get(name, [])]
            least = sum(not argument.endswith("?") for argument in known.get(name, []))
            if name not in known:
                found.append(f"{path}:{line}: no Lua file registers {name}")
            elif given != wanted[: max(least, len(given))]:
                found.append(f"{path}:{line}: {name} takes {', '.join(wanted)}; it is given {', '.join(given)}")
    everything = "\n".join(swift.values())
    return found + [f"nobody calls {name}" for name in known if f'"{name}"' not in everything]


def unlike_settings(paths):
    """Settings that only one of settings.lua and RedisSettings.swift has, and those that no function reads."""
    lua, swift = HUB / "Redis/settings.lua", HUB / "Redis/RedisSettings.swift"
    read = re.findall(r"'(\w+)'", re.search(r"^local NAMES = \{(.*?)^\}", lua.read_text(), re.DOTALL | re.MULTILINE)[1])
    written = re.findall(r'\("(\w+)", ', swift.read_text())
    used = "\n".join(path.read_text() for path in paths)
    odd = set(written) ^ {name for name in read if not name.startswith("clock_")}
    return [f"{name}: is named in one of {lua} and {swift} only" for name in sorted(odd)] + [
        f"{lua}: no function reads {name}" for name in read if not re.search(rf"\bc\.{name}(_text)?\b", used)
    ]


def main():
    for program, package in (("luac5.1", "lua5.1"), ("luacheck", "lua-check")):
        if shutil.which(program) is None:
            return [f"{package} is missing: tools/install"]
    files = {path.stem: path for path in pathlib.Path("Sources").rglob("*.lua")}
    order = re.findall(r"^    MODULE\((\w+)\)", ORDER.read_text(), re.MULTILINE)
    if unlike := sorted(set(order) ^ set(files)):
        return [f"{name}.lua: is not both a file and named in {ORDER}" for name in unlike]
    paths = [files[name] for name in order]
    if found := compiled(paths) or strangers(paths) + misnamed(paths) + unlike_settings(paths):
        return found
    code, said = run("luacheck", "--formatter", "plain", "--codes", *map(str, paths))
    return [said.strip()] if code else []


found = main()
print("\n".join(found), end="\n" if found else "")
sys.exit(1 if found else 0)
