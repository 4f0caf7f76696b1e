import PMTiles
import Settings
import Wire

/// What the ground of maps is drawn of (TileJSON 3.0.0): vector tiles of the archive, else pictures of another host.
struct TileJSON {
    /// Nil: of nothing.
    let bytes: [UInt8]?

    /// Letters of an attribution, and layers, that an archive may bring.
    private static let (mostLetters, mostLayers) = (500, 64)

    init(_ archive: PMTilesArchive?, _ pages: Settings.Pages) {
        if let archive {
            bytes = Self.vector(archive, pages)
        } else if !pages.rasterTiles.isEmpty {
            bytes = Self.raster(pages)
        } else {
            bytes = nil
        }
    }

    private static func vector(_ archive: PMTilesArchive, _ pages: Settings.Pages) -> [UInt8] {
        let metadata = try? JSONValue(parsing: archive.metadata)
        let own = metadata?["attribution"]?.text ?? ""
        let box = archive.bounds
        let (lon, lat, zoom) = archive.centre
        return written(
            ["/tiles/{z}/{x}/{y}.mvt?\(archive.version)"], zooms: archive.minZoom...archive.maxZoom,
            bounds: [box.west, box.south, box.east, box.north],
            attribution: pages.mapAttribution.isEmpty ? String(own.prefix(mostLetters)) : pages.mapAttribution
        ) { json in
            json.key("center")
            json.beginArray()
            for number in [lon, lat, Double(zoom)] { json.double(number) }
            json.endArray()
            json.key("vector_layers")
            json.beginArray()
            for layer in (metadata?["vector_layers"]?.elements ?? []).prefix(mostLayers) {
                guard let id = layer["id"]?.text else { continue }
                json.beginObject()
                json.member("id", id)
                json.key("fields")
                json.beginObject()
                json.endObject()
                json.endObject()
            }
            json.endArray()
        }
    }

    private static func raster(_ pages: Settings.Pages) -> [UInt8] {
        written(
            [pages.rasterTiles], zooms: 0...19, bounds: [-180, -85.051129, 180, 85.051129],
            attribution: pages.mapAttribution
        ) { _ in }
    }

    private static func written(
        _ tiles: [String], zooms: ClosedRange<Int>, bounds: [Double], attribution: String,
        more: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("tilejson", "3.0.0")
        json.key("tiles")
        json.beginArray()
        for url in tiles { json.string(url) }
        json.endArray()
        json.member("minzoom", zooms.lowerBound)
        json.member("maxzoom", zooms.upperBound)
        json.key("bounds")
        json.beginArray()
        for number in bounds { json.double(number) }
        json.endArray()
        json.member("attribution", attribution)
        more(&json)
        json.endObject()
        return json.bytes
    }
}
