-- The linter of the Redis functions (tools/check runs it). They are one chunk, in the order of Sources/Hub/Dispatch.swift:
-- tools/lua_rules.py puts them together for it.
std = "lua51"
-- What Redis gives to Lua, and what it takes away.
read_globals = { "redis", "cjson", "cmsgpack", "struct", "bit" }
not_globals = {
    "arg", "debug", "dofile", "getfenv", "io", "loadfile", "module", "newproxy", "os", "package", "print", "require", "setfenv",
}
-- A refusal stands in one line with its text.
max_line_length = false
