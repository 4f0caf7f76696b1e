import Domain
import Wire

/// Parts of a catalog, written as JSON and read again.
enum Written {
    static func read(_ line: Line) throws -> Line? { Line(try again { line.write(to: &$0) }) }
    static func read(_ stop: Stop) throws -> Stop? { Stop(try again { stop.write(to: &$0, lines: nil) }) }
    static func read(_ bus: Bus) throws -> Bus? { Bus(try again { bus.write(to: &$0) }) }
    static func read(_ service: Service) throws -> Service? { Service(try again { service.write(to: &$0) }) }

    private static func again(_ write: (inout JSONWriter) -> Void) throws -> JSONValue {
        var json = JSONWriter()
        write(&json)
        return try JSONValue(parsing: json.bytes)
    }
}
