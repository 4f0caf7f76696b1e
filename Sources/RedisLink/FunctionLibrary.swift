/// Redis functions as one library whose names carry a hash of its text, so that two versions of the hub can share one
/// Redis while the second replaces the first: each calls its own.
///
/// A module is Lua: a chunk that may end with `return` and a table of what those after it may import, with
/// `local a, b = import('module', 'a', 'b')`. It registers
/// functions with `register('name', function(keys, args) … end)`, or with flags as a third argument (`{'no-writes'}`). Library: `kerbside_<hash>`; function: `<name>_<hash>`. Used on the loop's thread.
public final class FunctionLibrary {
    /// A file of the library, and the name by which those after it import it.
    public struct Module: Sendable {
        public let name: String
        public let text: [UInt8]

        public init(_ name: String, _ text: [UInt8]) {
            self.name = name
            self.text = text
        }
    }

    /// What Redis is given, and what it calls it. It is read through once, so whoever has several libraries of one code makes it once.
    public struct Code: Sendable {
        /// `kerbside_` and eight hexadecimal digits.
        public let name: String
        /// The names that the text registers, in order, as far as they are written as literals.
        public let functions: [String]
        /// What FUNCTION LOAD gets.
        public let text: [UInt8]
        fileprivate let suffix: String
        fileprivate let fullNames: [String: [UInt8]]

        /// The modules are run in the given order when the library is loaded, each in a function of its own.
        public init(modules: [Module]) {
            let body = FunctionLibrary.body(of: modules)
            let hash = FunctionLibrary.hash(body)
            let suffix = "_" + hash
            let prelude = """
                #!lua name=kerbside_\(hash)
                local function register(name, fn, flags) redis.register_function{function_name = name .. '_\(hash)', callback = fn, flags = flags} end
                local MODULES = {}
                local function taken(module, name, ...) if name then return module[name], taken(module, ...) end end
                local function import(module, ...) return taken(MODULES[module], ...) end

                """
            text = Array(prelude.utf8) + body
            functions = FunctionLibrary.registered(in: body)
            name = "kerbside_" + hash
            self.suffix = suffix
            fullNames = Dictionary(functions.map { ($0, Array(($0 + suffix).utf8)) }) { first, _ in first }
        }
    }

    public var name: String { code.name }
    public var functions: [String] { code.functions }
    public var text: [UInt8] { code.text }

    private let code: Code
    /// Connections on which a load was sent and is not answered yet.
    private var loading: Set<ObjectIdentifier> = []
    private var loadFailure: RedisFailure?

    public init(_ code: Code) { self.code = code }

    public convenience init(modules: [Module]) { self.init(Code(modules: modules)) }

    public convenience init(_ text: String) { self.init(modules: [Module("functions", Array(text.utf8))]) }

    /// The modules as one text, each in its function.
    public static func body(of modules: [Module]) -> [UInt8] {
        modules.flatMap { module in
            Array("MODULES['\(module.name)'] = (function()\n".utf8) + module.text + Array("\nend)()\n".utf8)
        }
    }

    /// Loads it; well when it is there already. Completes with nil or what went wrong (`.server` has Lua's message).
    public func load(on connection: RedisConnection, _ completion: @escaping (RedisFailure?) -> Void) {
        let id = ObjectIdentifier(connection)
        loading.insert(id)
        connection.send(["FUNCTION", "LOAD", "REPLACE", RedisArgument(text)]) { [self] result in
            loading.remove(id)
            if case .failure(let failure) = result { loadFailure = failure } else { loadFailure = nil }
            completion(loadFailure)
        }
    }

    /// The FCALL of a function.
    public func command(_ function: String, keys: [RedisArgument], arguments: [RedisArgument]) -> [RedisArgument] {
        var command: [RedisArgument] = []
        command.reserveCapacity(3 + keys.count + arguments.count)
        command.append("FCALL")
        command.append(RedisArgument(code.fullNames[function] ?? Array((function + code.suffix).utf8)))
        command.append(RedisArgument(keys.count))
        command.append(contentsOf: keys)
        command.append(contentsOf: arguments)
        return command
    }

    /// Calls a function. When Redis no longer knows it (it was wiped, or another one has taken over), the library is
    /// loaded again and the call repeated, once: it has not run before.
    public func call(
        _ function: String, keys: [RedisArgument], arguments: [RedisArgument], on connection: RedisConnection,
        _ completion: @escaping RedisConnection.Completion
    ) {
        let command = command(function, keys: keys, arguments: arguments)
        connection.send(command) { [self] result in
            guard case .failure(.server(let text)) = result, text.hasPrefix("ERR Function not found") else {
                return completion(result)
            }
            // Answers come in the order of sending: a load that is on its way is ahead of the repeated call.
            if !loading.contains(ObjectIdentifier(connection)) { load(on: connection) { _ in } }
            connection.send(command) { [self] repeated in
                if case .failure(.server) = repeated, let loadFailure {
                    completion(.failure(loadFailure))
                } else {
                    completion(repeated)
                }
            }
        }
    }

    /// FNV-1a, folded to 32 bits: it tells versions apart, and guards against nothing else.
    fileprivate static func hash(_ bytes: [UInt8]) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        let digits = String(UInt32(truncatingIfNeeded: hash ^ (hash >> 32)), radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// Finds `register('name'` and `register("name"`.
    fileprivate static func registered(in body: [UInt8]) -> [String] {
        let word = Array("register".utf8)
        var names: [String] = []
        var index = 0
        while index + word.count < body.count {
            guard body[index] == word[0], body[index...].starts(with: word) else {
                index += 1
                continue
            }
            index += word.count
            let opening = body[index...].prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "(") }.endIndex
            guard opening > index, opening < body.count,
                body[opening] == UInt8(ascii: "'") || body[opening] == UInt8(ascii: "\"")
            else { continue }
            let name = body[(opening + 1)...].prefix { $0 != body[opening] }
            names.append(String(decoding: name, as: UTF8.self))
            index = name.endIndex
        }
        return names
    }
}
