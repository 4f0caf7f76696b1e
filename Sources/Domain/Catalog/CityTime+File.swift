import Glibc

extension CityTime {
    /// Where Debian keeps the time zones.
    public static let directory = "/usr/share/zoneinfo"

    /// A zone by its name, as `Europe/Berlin`; nil when this machine has none of that name.
    public init?(zone name: String, directory: String = CityTime.directory) {
        let isName = name.utf8.allSatisfy { byte in
            switch byte {
            case 48...57, 65...90, 97...122, UInt8(ascii: "/"), UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        // One name for each file: `Europe//Berlin` would be another for the same.
        let hasParts = name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty }
        guard isName, hasParts, let file = fopen(directory + "/" + name, "rb") else {
            return nil
        }
        defer { fclose(file) }
        // The largest has 4 KiB.
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = fread(&bytes, 1, bytes.count, file)
        self.init(tzif: Array(bytes[..<count]))
    }
}
