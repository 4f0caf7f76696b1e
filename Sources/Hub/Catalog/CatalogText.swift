import Domain
import RedisLink
import Wire

/// A version of the catalog as Redis has it (catalog.lua): its parts, each a hash of id to JSON.
struct CatalogText {
    enum Part: String, CaseIterable {
        case lines, stops, buses, services
    }

    let keys: Keys

    /// The arguments of one command that stages a part of a part; they hold up to about so many bytes.
    private static let batchBytes = 1 << 20

    /// The commands that write a catalog beside the one in use. It vanishes by itself unless it is taken into use.
    func staging(_ catalog: Catalog) -> [[RedisArgument]] {
        var commands: [[RedisArgument]] = []
        func stage(_ part: Part, _ entries: some Sequence<(id: String, json: [UInt8])>) {
            let key = RedisArgument(keys.catalog(catalog.version, part.rawValue))
            var command: [RedisArgument] = ["HSET", key]
            var size = 0
            for (id, json) in entries {
                command += [RedisArgument(id), RedisArgument(json)]
                size += json.count + id.utf8.count
                if size > Self.batchBytes {
                    commands.append(command)
                    command = ["HSET", key]
                    size = 0
                }
            }
            if command.count > 2 { commands.append(command) }
        }
        func bytes(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
            var json = JSONWriter()
            write(&json)
            return json.bytes
        }
        stage(.lines, catalog.lines.lazy.map { line in (line.key, bytes { line.value.write(to: &$0) }) })
        stage(.stops, catalog.stops.lazy.map { stop in (stop.key, bytes { stop.value.write(to: &$0, lines: nil) }) })
        stage(.buses, catalog.buses.lazy.map { bus in (bus.key, bytes { bus.value.write(to: &$0) }) })
        stage(.services, catalog.services.lazy.map { service in (service.key, bytes { service.value.write(to: &$0) }) })
        let pages = CatalogPages(catalog)
        let meta: [RedisArgument] =
            [
                "HSET", RedisArgument(keys.catalog(catalog.version, "meta")), "time_zone",
                RedisArgument(catalog.timeZone),
                "lines", RedisArgument(catalog.lines.count), "stops", RedisArgument(catalog.stops.count),
                "buses", RedisArgument(catalog.buses.count), "services", RedisArgument(catalog.services.count),
            ]
            + CatalogList.allCases.flatMap { list in
                [
                    RedisArgument("digest:" + list.rawValue),
                    RedisArgument("\(CatalogPages.form)-" + CatalogPages.digest(pages.list(list))),
                ]
            }
        commands.append(meta)
        let written = (["meta"] + Part.allCases.map(\.rawValue)).map { keys.catalog(catalog.version, $0) }
        return commands + written.map { ["EXPIRE", RedisArgument($0), 3600] }
    }
}
