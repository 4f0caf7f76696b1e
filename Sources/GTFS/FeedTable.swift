internal import CSV

extension CSVTable {
    /// A file of a feed, or of a recording, ready for its first row.
    init(file name: String, _ bytes: [UInt8]) throws(FeedRefusal) {
        do throws(CSVFault) {
            try self.init(name: name, bytes: bytes)
        } catch {
            throw FeedRefusal(error.description)
        }
    }

    /// Columns that a file can't do without. Throws a sentence that names those that are missing.
    func require(_ names: String...) throws(FeedRefusal) {
        let missing = names.filter { !column($0).isThere }
        guard missing.isEmpty else {
            let what = missing.count == 1 ? "the column" : "the columns"
            throw FeedRefusal("\(name):1: \(what) \(missing.joined(separator: ", ")) is missing in the first line")
        }
    }

    /// Whether the value stands there as these bytes, for rows that repeat a value.
    func has(_ column: Column, _ value: String.UTF8View) -> Bool { bytes(column).elementsEqual(value) }

    /// `H:MM:SS` or `HH:MM:SS`, also beyond 24 h, as seconds; nil when it is empty or something else.
    func seconds(_ column: Column) -> Int? { TimeOfDay.seconds(bytes(column)) }
}
