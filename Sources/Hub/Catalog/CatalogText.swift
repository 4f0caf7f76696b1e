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

    /// How long what is written is kept unless it is taken into use, s. It counts anew with each batch.
    private static let keptS = 3600

    /// The commands that write a catalog beside the one in use. It vanishes by itself unless it is taken into use, also when
    /// whoever sends them is stopped between two of them: Redis carries out none of a transaction whose connection ends.
    func staging(_ catalog: Catalog) -> [[RedisArgument]] {
        var commands: [[RedisArgument]] = []
        func append(_ command: [RedisArgument], _ key: RedisArgument) {
            commands += [["MULTI"], command, ["EXPIRE", key, RedisArgument(Self.keptS)], ["EXEC"]]
        }
        func stage(_ part: Part, _ entries: some Sequence<(id: String, json: [UInt8])>) {
            let key = RedisArgument(keys.catalog(catalog.version, part.rawValue))
            var command: [RedisArgument] = ["HSET", key]
            var size = 0
            for (id, json) in entries {
                command += [RedisArgument(id), RedisArgument(json)]
                size += json.count + id.utf8.count
                if size > Self.batchBytes {
                    append(command, key)
                    command = ["HSET", key]
                    size = 0
                }
            }
            if command.count > 2 { append(command, key) }
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
        let key = RedisArgument(keys.catalog(catalog.version, "meta"))
        let meta: [RedisArgument] =
            [
                "HSET", key, "time_zone", RedisArgument(catalog.timeZone),
                "lines", RedisArgument(catalog.lines.count), "stops", RedisArgument(catalog.stops.count),
                "buses", RedisArgument(catalog.buses.count), "services", RedisArgument(catalog.services.count),
            ]
            + CatalogList.allCases.flatMap { list in
                [
                    RedisArgument("digest:" + list.rawValue),
                    RedisArgument("\(CatalogPages.form)-" + CatalogPages.digest(pages.list(list))),
                ]
            }
        append(meta, key)
        // All of it has as long from now on.
        return commands
            + Part.allCases.map { part in
                ["EXPIRE", RedisArgument(keys.catalog(catalog.version, part.rawValue)), RedisArgument(Self.keptS)]
            }
    }
}
