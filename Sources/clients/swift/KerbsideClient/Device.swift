/// What is kept on the device: acts until they have ended, and the places of channels. Writes go one after the other; what
/// the storage throws is told as a fault.
final class Device {
    typealias Record = (name: String, text: String)

    private let storage: any Storage
    private let remembers: Bool
    private let fault: @Sendable (any Error) -> Void
    // A handler that takes its time holds back places, and no acts.
    private let acts = Chain()
    private let places = Chain()

    /// `remembers`: places, too. `fault`: of any thread.
    init(storage: any Storage, remembers: Bool, fault: @escaping @Sendable (any Error) -> Void) {
        self.storage = storage
        self.remembers = remembers
        self.fault = fault
    }

    /// Acts in their order as they were written, and channel → place.
    static func load(_ storage: any Storage) async throws -> (acts: [Record], places: [String: String]) {
        var acts: [Record] = []
        var places: [String: String] = [:]
        for (name, text) in try await storage.all().sorted(by: { $0.key < $1.key }) {
            if name.hasPrefix("seq:") { places[String(name.dropFirst(4))] = text }
            if name.hasPrefix("act:") { acts.append((name, text)) }
        }
        return (acts, places)
    }

    /// Acts of their records. One that can't be read is no reason to lose the others.
    func read(_ records: [Record]) -> [Entry] {
        records.compactMap { name, text in
            do {
                let row = try JSON(parsing: text)
                guard let command = row["cmd"]?.string, let fields = row["fields"]?.object,
                    let key = row["key"]?.string, let at = row["at"]?.int, let until = row["until"]?.int
                else { throw Misuse(reason: "\(name) is no act") }
                let who = row["who"]?.string
                return Entry(command: command, fields: fields, at: at, until: until, name: name, key: key, who: who)
            } catch {
                remove(name, in: acts)
                fault(error)
                return nil
            }
        }
    }

    /// Calls `then` when the act is kept, or can't be: then it is sent as long as the app lives [O3].
    func keep(_ entry: Entry, then: @escaping @Sendable () -> Void) {
        var row: [String: JSON] = [
            "cmd": .string(entry.command), "fields": .object(entry.fields), "at": .int(entry.at),
            "until": .int(entry.until),
        ]
        row["key"] = entry.key.map(JSON.string)
        row["who"] = entry.who.map(JSON.string)
        let (storage, fault, name, text) = (storage, fault, entry.name, JSON.object(row).text)
        acts.add {
            do { try await storage.put(name, text) } catch { fault(error) }
            then()
        }
    }

    /// The act has ended.
    func forget(_ entry: Entry) {
        remove(entry.name, in: acts)
    }

    /// Applied up to here, when the handlers' answers have come [R5].
    func place(_ channel: String, _ seq: String, answers: [Answer] = []) {
        guard remembers else { return }
        let (storage, fault) = (storage, fault)
        places.add {
            var isApplied = true
            for answer in answers where await !answer.isApplied() { isApplied = false }
            // Who stopped reading has not applied it: it comes again in the next life of the app.
            guard isApplied else { return }
            do { try await storage.put("seq:\(channel)", seq) } catch { fault(error) }
        }
    }

    /// The place of a channel that is not followed any more.
    func leave(_ channel: String) {
        if remembers { remove("seq:\(channel)", in: places) }
    }

    /// What waits until acts are written; and until places are, which handlers that still run may hold back.
    var written: (acts: @Sendable () async -> Void, places: @Sendable () async -> Void) {
        let (acts, places) = (acts, places)
        return ({ await acts.done() }, { await places.done() })
    }

    private func remove(_ name: String, in chain: Chain) {
        let (storage, fault) = (storage, fault)
        chain.add {
            do { try await storage.remove(name) } catch { fault(error) }
        }
    }
}
