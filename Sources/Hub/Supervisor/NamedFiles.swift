public import Domain
import PMTiles
public import Settings
import Tokens
import WebSocketServer

/// The files that a configuration names, read as a hub reads them.
public enum NamedFiles {
    /// What is wrong with them; `repairs` is told what is repaired in the zones. Before a hub's first start there is no
    /// secret yet.
    public static func problems(_ settings: Settings, repairs: (ZoneRepair) -> Void = { _ in }) -> [String] {
        var problems: [String] = []
        func attempt(_ read: () throws -> Void) {
            do { try read() } catch { problems.append("\(error)") }
        }
        attempt { try TokenVerifier.check(settings) }
        attempt { try settings.tlsFiles?.check() }
        attempt { _ = try CityZones.load(settings, repairs: repairs) }
        attempt { try RecordsFile.check(settings) }
        problems += [mapProblem(settings), pagesProblem(settings)].compactMap(\.self)
        return problems
    }

    /// What is wrong with the archive of the map; nil: nothing, or there is none.
    static func mapProblem(_ settings: Settings) -> String? {
        let path = settings.pages.map
        guard !path.isEmpty else { return nil }
        do {
            _ = try PMTilesArchive(path: path)
            return nil
        } catch {
            return "pages.map: \(path) can't be used: \(error)"
        }
    }

    /// What is wrong with the directory of the pages; nil: nothing, or they are those of the program.
    private static func pagesProblem(_ settings: Settings) -> String? {
        let path = settings.pages.directory
        guard !path.isEmpty, DirectoryNames.of(path) == nil else { return nil }
        return "pages.directory: \(path) is no directory, or can't be read"
    }
}
