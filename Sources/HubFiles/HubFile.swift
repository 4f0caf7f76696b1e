internal import CHubFiles

/// A file that the compiler has put into the program. Not by SwiftPM's `.embedInCode`, which makes an array literal in Swift of each: a megabyte
/// of these took the compiler four minutes, and `#embed` of C takes none.
public struct HubFile: Sendable {
    public let name: String
    public let bytes: [UInt8]

    /// The modules of the Redis functions, in Lua, in the order in which they import one another.
    public static let functions = all(kerbside_function_file)

    /// What browsers may ask for; the names are addresses.
    public static let pages = all(kerbside_page_file)

    /// What can be asked over HTTP (OpenAPI 3.1, JSON).
    public static let openapi = HubFile(kerbside_openapi_file().pointee)

    private static func all(_ at: (Int) -> UnsafePointer<kerbside_file>?) -> [HubFile] {
        var files: [HubFile] = []
        while let file = at(files.count)?.pointee { files.append(HubFile(file)) }
        return files
    }

    private init(_ file: kerbside_file) {
        name = String(cString: file.name)
        bytes = Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
    }
}
