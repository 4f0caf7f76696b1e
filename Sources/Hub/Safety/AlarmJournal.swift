import EventLoop
import Wire

/// Alarms on the disk of this machine, besides Redis: a second of what Redis has said can be lost with the power, and nobody sends an alarm
/// again that was taken. A line of `<data>/alarms` (``DayJournal``) for each alarm, for more that its sender says, and for each that was closed.
/// All calls come on the worker's loop.
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

    private let files: DayJournal

    /// - Parameters:
    ///   - data: the data directory, which another city may have had before.
    ///   - mostRead: bytes that are read of a file, its last.
    init(data: String, city: String, mostRead: Int = 8 << 20) {
        files = DayJournal(data: data, name: "alarms", city: city, mostRead: mostRead)
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
        files.append(json, loop, then: then)
    }

    /// It need not ring again, unless it was opened again more often than this. `then` as for ``keep(_:_:then:)``.
    func noteClosed(_ id: String, again: Int64 = 0, _ loop: EventLoop, then: @escaping (Bool) -> Void) {
        var json = JSONWriter()
        json.beginObject()
        json.member("closed", id)
        if again > 0 { json.member("again", again) }
        json.endObject()
        files.append(json, loop, then: then)
    }

    /// Deletes what is older than yesterday, but for the latest two files; of those, one goes when it is older than `keptDays` and none of
    /// its alarms is open. Once a day.
    func forgetOld(keptDays: Int) { files.perform { [self] in _ = daysLeft(keptDays) } }

    /// Deletes the same, and calls `then` on the loop with the alarms in what is left that were not closed, the oldest first.
    func unclosed(keptDays: Int, _ loop: EventLoop, then: @escaping ([Alarm]) -> Void) {
        files.find(loop, { [self] _ in read(daysLeft(keptDays), forgotten: lastForgotten(keptDays)) }, then: then)
    }

    /// The days of which there are files: those since yesterday, and the latest two whatever the clock says, which may be wrong when the power is
    /// back. Of these, one that is older than `keptDays` stays only while it has an alarm that is open, and so do those after it, as they may
    /// close others of its alarms. Files of other days are deleted.
    private func daysLeft(_ keptDays: Int) -> [Int64] {
        let (days, today) = (files.days, files.today)
        var left = days.enumerated().filter { $1 >= today - 1 || $0 >= days.count - 2 }.map(\.element)
        while let day = left.first, day < today - Int64(keptDays), hasOnlyClosed(day, within: left, keptDays) {
            left.removeFirst()
        }
        for day in days where !left.contains(day) { files.remove(day) }
        return left
    }

    /// Whether the file of a day can be read, and each of its alarms is closed by it or by another of `days`, or forgotten.
    private func hasOnlyClosed(_ day: Int64, within days: [Int64], _ keptDays: Int) -> Bool {
        guard files.forEachLine(of: day, { _ in }) else { return false }
        let open = Set(read(days, forgotten: lastForgotten(keptDays)).map(\.id))
        return !read([day]).contains { open.contains($0.id) }
    }

    /// If an alarm was closed on this day, Redis may have forgotten it.
    private func lastForgotten(_ keptDays: Int) -> Int64 { files.today - Int64(max(keptDays, Self.leastKnownDays)) }

    /// The alarms of these days that were not closed on one of them. forgotten: one of which no end is written is left out if its last line is of
    /// this day, or older. It may have been closed since, and would ring again whenever Redis is asked, which has forgotten it.
    private func read(_ days: [Int64], forgotten: Int64 = .min) -> [Alarm] {
        var alarms: [Alarm] = []
        var lastDay: [String: Int64] = [:]
        // Workers write it in no certain order: what was closed is known by how often it had been opened again.
        var closed: [String: Int64] = [:]
        for day in days {
            files.forEachLine(of: day) { json in
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
