"""Compiles and lints the Redis functions (.luacheckrc). They are one chunk: each file sees the locals of those before it, so
they are put together as the hub does it, and what is found is said by file and line."""

import pathlib
import re
import shutil
import subprocess
import sys

FUNCTIONS = pathlib.Path("Sources/Hub/Functions")
ORDER = pathlib.Path("Sources/Hub/Redis/RedisLibrary.swift")
#: What FunctionLibrary.swift writes before them, as far as Lua's rules go.
PRELUDE = "local function register(name, fn, flags) redis.register_function{name, callback = fn, flags = flags} end"


def run(*command, text=None):
    """(exit code, what it printed)."""
    result = subprocess.run(command, input=text, check=False, capture_output=True, text=True)
    return result.returncode, result.stdout + result.stderr


def compiled(paths):
    """What Lua says of each file by itself: within the chunk a missing `end` is found where all files end."""
    found = []
    for path in paths:
        code, said = run("luac5.1", "-p", str(path))
        if code:
            found.append(said.strip().removeprefix("luac5.1: "))
    return found


def linted(paths):
    """What luacheck says of the chunk, and Lua, which takes 200 locals in one, and 60 from outside in a function."""
    lines, places = [PRELUDE], [str(ORDER)]
    for path in paths:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            lines.append(line)
            places.append(f"{path}:{number}")
    chunk = "\n".join(lines) + "\n"

    code, said = run("luac5.1", "-p", "-", text=chunk)
    found = [re.sub(r"^luac5.1: stdin:(\d+)", lambda m: places[int(m[1]) - 1], said.strip())] if code else []
    code, said = run("luacheck", "--formatter", "plain", "--codes", "--filename", "chunk", "-", text=chunk)
    slips = re.findall(r"^chunk:(\d+):(\d+): (.*)$", said, re.MULTILINE)
    if code and not slips:
        found.append(f"luacheck: {said.strip()}")
    for line, column, text in slips:
        # "shadowing upvalue 'place' on line 528"
        text_here = re.sub(r"\bon line (\d+)", lambda m: f"in {places[int(m[1]) - 1]}", text)
        found.append(f"{places[int(line) - 1]}:{column}: {text_here}")
    return found


def main():
    for program, package in (("luac5.1", "lua5.1"), ("luacheck", "lua-check")):
        if shutil.which(program) is None:
            return [f"{package} is missing: tools/install"]
    paths = [FUNCTIONS / f"{name}.lua" for name in re.findall(r"PackageResources\.(\w+)_lua", ORDER.read_text())]
    if unlike := sorted({*paths} ^ {*pathlib.Path("Sources").rglob("*.lua")}):
        return [f"{path}: is not both a file and named in {ORDER}" for path in unlike]
    return compiled(paths) or linted(paths)


found = main()
print("\n".join(found), end="\n" if found else "")
sys.exit(1 if found else 0)
