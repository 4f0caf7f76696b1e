internal import CSV

/// The forms of recordings that can be replayed.
public enum TraceFormat: String, CaseIterable, Sendable {
    /// `ts,cab,lat,lon,occupied`: merged Cabspotting traces.
    case cabspotting
    /// `id;timestamp;POINT(lat lon)`: Rome's taxis.
    case rome
    case gpx
    /// `time,vehicle,lat,lon[,occupied][,speed][,heading][,accuracy]`
    case csv

    /// What `--help` says of the files that can be replayed.
    public static let description = """
        Recordings are read in these forms (found out by looking; --format forces one):

          csv          A header line, then one fix per line, in any order:
                         time,vehicle,lat,lon[,occupied][,speed][,heading][,accuracy]
                       time      Unix seconds or milliseconds, or ISO 8601 (2014-02-01T18:05:00+01:00; UTC if it says nothing)
                       vehicle   any name
                       lat,lon   degrees, WGS 84
                       occupied  1 while a passenger is aboard, else 0: where it turns 1, a passenger requests a ride
                       speed     m/s        heading   degrees from north        accuracy  metres
                       Columns may stand in any order; others are passed over; optional fields may be empty.
          gpx          GPX 1.0 or 1.1 with times: each <trk> is a vehicle, named by its <name>.
          cabspotting  ts,cab,lat,lon,occupied with Unix seconds (San Francisco's Cabspotting traces, merged).
          rome         id;timestamp;POINT(lat lon) (Rome's taxi traces), latitude first.
        """

    /// The form of a file, by its first lines; nil when it looks like none of them.
    static func detect(_ bytes: [UInt8]) -> TraceFormat? {
        for (number, line) in TextLines(bytes).prefix(20) {
            let text = line.trimmed.text.lowercased()
            if text.isEmpty { continue }
            if text.hasPrefix("<?xml") || text.hasPrefix("<gpx") || text.hasPrefix("<!--") { return .gpx }
            if text.contains(";point(") || text.contains("; point(") { return .rome }
            guard number <= 2, let table = try? CSVTable(recording: Array(line)) else { return nil }
            if Set(table.head.map { $0.lowercased() }).isSuperset(of: ["ts", "cab", "lat", "lon"]) {
                return .cabspotting
            }
            return TraceCSV.Columns(table) == nil ? nil : .csv
        }
        return nil
    }
}

extension Trace {
    /// Reads a recording held in memory. `format` nil looks at the content.
    static func read(_ bytes: [UInt8], format: TraceFormat? = nil) throws(TraceError) -> Trace {
        guard let format = format ?? TraceFormat.detect(bytes) else {
            throw TraceError(
                line: 1,
                message:
                    "this is none of the known forms (\(TraceFormat.allCases.map(\.rawValue).joined(separator: ", ")));"
                    + " a CSV file needs a header line with at least time,vehicle,lat,lon")
        }
        return switch format {
        case .cabspotting, .csv: try TraceCSV.read(bytes)
        case .rome: try TraceRome.read(bytes)
        case .gpx: try TraceGPX.read(bytes)
        }
    }
}
