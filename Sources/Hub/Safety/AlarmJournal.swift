import Dispatch
import EventLoop
import Glibc
import Settings
import Wire

/// Alarms on the disk of this machine, besides Redis: a second of what Redis has said can be lost with the power, and nobody sends an alarm
/// again that was taken. A file for each day (UTC), a line for each alarm, for more that its sender says, and for each that was closed; all
/// workers write at its end. All calls come on the worker's loop, and the disk is waited for on another thread.
final class AlarmJournal: Sendable {
    /// What `sos_restore` is called with.
    struct Alarm: Sendable, Equatable {
        let id: String
        /// Hub ms.
        let at: Int64
        let role: String
        let subject: String
        let ride: String
        let text: String
        let place: Place?
        /// How often it was opened again after it was closed.
        var again: Int64 = 0
    }

    /// Of an alarm that was opened again so often no end is written any more, and nothing of what is opened later.
    static let mostOpenings: Int64 = 6
    /// Redis knows at least so long that an alarm was closed, days (`JOURNAL_S` of sos.lua).
    private static let leastKnownDays = 3

    private let data: String
    private let directory: String
    private let queue = DispatchQueue(label: "kerbside.alarms")
    private let mostRead: Int

    /// - Parameters:
    ///   - data: the data directory, which another city may have had before.
    ///   - mostRead: bytes that are read of a file, its last.
    init(data: String, city: String, mostRead: Int = 8 << 20) {
        self.data = data
        directory = data + "/alarms/" + city
        self.mostRead = mostRead
    }

    /// Calls `then` on the loop when it is on the disk, with false when it can't be written.
    func keep(_ alarm: Alarm, _ loop: EventLoop, then: @escaping (Bool) -> Void) {
        var json = JSONWriter()
        json.beginObject()
        json.member("sos", alarm.id)
        json.member("at", alarm.at)
        json.member("role", alarm.role)
        json.member("subject", alarm.subject)
        json.member("ride", alarm.ride)
        json.member("text", alarm.text)
        if let place = alarm.place {
            json.key("lat")
            json.double(place.lat)
            json.key("lon")
            json.double(place.lon)
        }
        if alarm.again > 0 { json.member("again", alarm.again) }
        json.endObject()
        append(json, loop, then)
    }

    /// It need not ring again, unless it was opened again more often than this. `then` as for ``keep(_:_:then:)``.
    func noteClosed(_ id: String, again: Int64 = 0, _ loop: EventLoop, then: @escaping (Bool) -> Void) {
        var json = JSONWriter()
        json.beginObject()
        json.member("closed", id)
        if again > 0 { json.member("again", again) }
        json.endObject()
        append(json, loop, then)
    }

    private func append(_ json: JSONWriter, _ loop: EventLoop, _ then: @escaping (Bool) -> Void) {
        // Of a line that the power or a full disk has cut off there is no end: each begins anew.
        let line = [10] + json.bytes + [10]
        let answer = LoopAnswer(give: then)
        queue.async { [self] in
            let isKept = append(line)
            loop.submit { answer.give(isKept) }
        }
    }

    /// Deletes what is older than yesterday, but for the latest two files; of those, one goes when it is older than `keptDays` and none of
    /// its alarms is open. Once a day.
    func forgetOld(keptDays: Int) { queue.async { [self] in _ = daysLeft(keptDays) } }

    /// Deletes the same, and calls `then` on the loop with the alarms in what is left that were not closed, the oldest first.
    func unclosed(keptDays: Int, _ loop: EventLoop, then: @escaping ([Alarm]) -> Void) {
        let answer = LoopAnswer(give: then)
        queue.async { [self] in
            let alarms = read(daysLeft(keptDays), forgotten: lastForgotten(keptDays))
            loop.submit { answer.give(alarms) }
        }
    }

    /// Of the machine's clock, days since 1970.
    private var today: Int64 { Int64(time(nil)) / 86_400 }

    private func name(_ day: Int64) -> String { "\(day).jsonl" }

    private func append(_ line: [UInt8]) -> Bool {
        let above = data + "/alarms"
        for path in [above, directory] where mkdir(path, 0o700) != 0 && errno != EEXIST { return false }
        let file = open(directory + "/" + name(today), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        defer { close(file) }
        guard line.withUnsafeBytes({ write(file, $0.baseAddress, $0.count) }) == line.count, fsync(file) == 0 else {
            return false
        }
        // Its name, too: the file may be new, and so may the directories.
        for path in [directory, above, data] {
            let parent = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard parent >= 0 else { return false }
            defer { close(parent) }
            guard fsync(parent) == 0 else { return false }
        }
        return true
    }

    /// The days of which there are files: those since yesterday, and the latest two whatever the clock says, which may be wrong when the power is
    /// back. Of these, one that is older than `keptDays` stays only while it has an alarm that is open, and so do those after it, as they may
    /// close others of its alarms. Files of other days are deleted.
    private func daysLeft(_ keptDays: Int) -> [Int64] {
        let days = (DirectoryNames.of(directory) ?? []).compactMap { name in
            name.hasSuffix(".jsonl") ? Int64(name.dropLast(".jsonl".count)) : nil
        }.sorted()
        var left = days.enumerated().filter { $1 >= today - 1 || $0 >= days.count - 2 }.map(\.element)
        while let day = left.first, day < today - Int64(keptDays), hasOnlyClosed(day, within: left, keptDays) {
            left.removeFirst()
        }
        for day in days where !left.contains(day) { unlink(directory + "/" + name(day)) }
        return left
    }

    /// Whether the file of a day can be read, and each of its alarms is closed by it or by another of `days`, or forgotten.
    private func hasOnlyClosed(_ day: Int64, within days: [Int64], _ keptDays: Int) -> Bool {
        guard end(of: day) != nil else { return false }
        let open = Set(read(days, forgotten: lastForgotten(keptDays)).map(\.id))
        return !read([day]).contains { open.contains($0.id) }
    }

    /// What was written last on that day; the first line may be a part of one. Nil: it can't be read.
    private func end(of day: Int64) -> [UInt8]? {
        let file = open(directory + "/" + name(day), O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        // Fails for a file that is shorter, which is read from its start.
        lseek(file, -mostRead, SEEK_END)
        // Other workers write on meanwhile.
        return try? TextFile.read(file, maxBytes: 2 * mostRead)
    }

    /// If an alarm was closed on this day, Redis may have forgotten it.
    private func lastForgotten(_ keptDays: Int) -> Int64 { today - Int64(max(keptDays, Self.leastKnownDays)) }

    /// The alarms of these days that were not closed on one of them. forgotten: one of which no end is written is left out if its last line is of
    /// this day, or older. It may have been closed since, and would ring again whenever Redis is asked, which has forgotten it.
    private func read(_ days: [Int64], forgotten: Int64 = .min) -> [Alarm] {
        var alarms: [Alarm] = []
        var lastDay: [String: Int64] = [:]
        // Workers write it in no certain order: what was closed is known by how often it had been opened again.
        var closed: [String: Int64] = [:]
        for day in days {
            for line in (end(of: day) ?? []).split(separator: 10) {
                guard let json = try? JSONValue(parsing: Array(line)) else { continue }
                if let id = json["closed"]?.text { closed[id] = max(closed[id] ?? 0, json["again"]?.integer ?? 0) }
                if let alarm = Alarm(json) {
                    alarms.append(alarm)
                    lastDay[alarm.id] = day
                }
            }
        }
        // What was said last counts, and the first time.
        var latest: [String: Alarm] = [:]
        for alarm in alarms { latest[alarm.id] = alarm.said(after: latest[alarm.id]) }
        return latest.values.filter { alarm in
            let isForgotten = alarm.again >= Self.mostOpenings && lastDay[alarm.id] ?? 0 <= forgotten
            return !isForgotten && alarm.again > closed[alarm.id] ?? -1
        }.sorted { $0.at < $1.at }
    }
}

extension AlarmJournal.Alarm {
    /// This one with what an earlier line of it had and this has not.
    fileprivate func said(after earlier: Self?) -> Self {
        guard let earlier else { return self }
        return Self(
            id: id, at: earlier.at, role: role, subject: subject, ride: ride.isEmpty ? earlier.ride : ride,
            text: text.isEmpty ? earlier.text : text, place: place ?? earlier.place, again: max(again, earlier.again))
    }

    fileprivate init?(_ json: JSONValue) {
        guard let id = json["sos"]?.text, let at = json["at"]?.integer, let role = json["role"]?.text,
            let subject = json["subject"]?.text
        else { return nil }
        var place: Place?
        if let lat = json["lat"]?.double, let lon = json["lon"]?.double { place = Place(lat: lat, lon: lon) }
        self.init(
            id: id, at: at, role: role, subject: subject, ride: json["ride"]?.text ?? "",
            text: json["text"]?.text ?? "", place: place, again: json["again"]?.integer ?? 0)
    }
}
