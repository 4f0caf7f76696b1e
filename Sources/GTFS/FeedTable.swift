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

    /// A file of a feed of which a part at a time is in memory, ready for its first row.
    init(file name: String, _ stream: some FeedStream) throws(FeedRefusal) {
        do throws(CSVFault) {
            try self.init(name: name) { (window) throws(CSVFault) in
                do throws(FeedRefusal) {
                    return try stream.read(into: &window)
                } catch {
                    throw CSVFault(message: error.description)
                }
            }
        } catch {
            throw FeedRefusal(error.description)
        }
    }

    /// Goes to the next row that is not empty; false at the end. Throws a sentence when the file can't be read on.
    mutating func goOn() throws(FeedRefusal) -> Bool {
        do throws(CSVFault) { return try next() } catch { throw FeedRefusal(error.description) }
    }

    /// Columns that a file can't do without. Throws a sentence that names those that are missing.
    func require(_ names: String...) throws(FeedRefusal) {
        let missing = names.filter { !column($0).isThere }
        guard missing.isEmpty else {
            let what = missing.count == 1 ? "the column" : "the columns"
            throw FeedRefusal("\(name):1: \(what) \(missing.joined(separator: ", ")) is missing in the first line")
        }
    }

    /// `H:MM:SS` or `HH:MM:SS`, also beyond 24 h, as seconds; nil when it is empty or something else.
    func seconds(_ column: Column) -> Int? { withBytes(column) { TimeOfDay.seconds($0) } }
}
