-- The linter of the Redis functions (tools/check runs it by tools/lua_rules.py).
std = "lua51"
-- What Redis and FunctionLibrary.swift give to Lua, and what Redis takes away.
read_globals = { "redis", "cjson", "cmsgpack", "struct", "bit", "import", "register" }
not_globals = {
    "arg", "debug", "dofile", "getfenv", "io", "loadfile", "module", "newproxy", "os", "package", "print", "require", "setfenv",
}
-- A refusal stands in one line with its text.
max_line_length = false
