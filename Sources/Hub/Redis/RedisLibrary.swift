import HubFiles
import RedisLink

/// The sources of the Redis functions: each file a module of its own (``FunctionLibrary``), beside the Swift of its capability.
enum RedisLibrary {
    /// By name, in the order in which they import one another (CHubFiles).
    static var modules: [FunctionLibrary.Module] { HubFile.functions.map { .init($0.name, $0.bytes) } }

    /// Made once in a process: it is read through for the names that it registers.
    static let code = FunctionLibrary.Code(modules: modules)
}
