public import Domain
public import Settings

/// Reads the zones that the settings name.
public enum CityZones {
    /// Throws a text that names the file and what is wrong in it; `repairs` is told what was repaired. `name`: of the file
    /// that people know, where it is a copy that is read.
    public static func load(
        _ settings: Settings, named name: String? = nil, repairs: (ZoneRepair) -> Void = { _ in }
    ) throws -> ZoneSet {
        let path = settings.zones.file
        var options = ZoneOptions()
        options.idProperty = settings.zones.idProperty.isEmpty ? nil : settings.zones.idProperty
        options.repair = settings.zones.repair
        do {
            let set = try ZoneSet(geoJSON: try WorkerFiles.read(path), options: options)
            set.repairs.forEach(repairs)
            return set
        } catch let error as ZoneSetError {
            throw HubFailure("the zones of \(name ?? path) can't be used:\n\(error)")
        }
    }
}
