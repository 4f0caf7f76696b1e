import RedisLink

/// What a Redis function is given, each value under the name that stands at the function in Lua, in the same order.
///
/// The names are for those who read: `tools/check` compares them, and only the values are sent. How many there are is compared by
/// the function itself (`register` in core.lua).
struct FunctionArguments: ExpressibleByDictionaryLiteral {
    let values: [RedisArgument]

    init(dictionaryLiteral elements: (StaticString, RedisArgument)...) { values = elements.map(\.1) }
}
