internal import CSV
internal import Domain

/// When: calendar.txt and calendar_dates.txt.
extension GTFSReader {
    private static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

    func readCalendar() throws(FeedRefusal) {
        guard var table = try table("calendar.txt") else { return }
        try table.require("service_id", "start_date", "end_date")
        let (id, start, end) = (table.column("service_id"), table.column("start_date"), table.column("end_date"))
        let days = Self.weekdays.map { table.column($0) }
        if let missing = days.firstIndex(where: { !$0.isThere }) {
            throw FeedRefusal("\(table.name):1: the column \(Self.weekdays[missing]) is missing in the first line")
        }
        while try table.goOn() {
            let service = table.text(id)
            guard !service.isEmpty, services[service] == nil else {
                report.add(
                    .skipped, "service id", table.name, table.line,
                    service.isEmpty ? "a service without service_id" : "service \(service) stands there already")
                continue
            }
            guard let first = ServiceDate(table.text(start)), let last = ServiceDate(table.text(end)), first <= last
            else {
                report.add(
                    .skipped, "service dates", table.name, table.line,
                    "service \(service): start_date \"\(table.text(start))\" and end_date \"\(table.text(end))\" are no days YYYYMMDD in this order"
                )
                continue
            }
            var weekdays: UInt8 = 0
            for (bit, day) in days.enumerated() where table.text(day) == "1" { weekdays |= 1 << bit }
            services[service] = Service(weekdays: weekdays, start: first, end: last)
        }
    }

    func readCalendarDates() throws(FeedRefusal) {
        guard var table = try table("calendar_dates.txt") else { return }
        try table.require("service_id", "date", "exception_type")
        let (id, day, kind) = (table.column("service_id"), table.column("date"), table.column("exception_type"))
        while try table.goOn() {
            let name = table.text(id)
            guard let date = ServiceDate(table.text(day)) else {
                report.add(
                    .skipped, "exception date", table.name, table.line,
                    "service \(name): date \"\(table.text(day))\" is no day YYYYMMDD")
                continue
            }
            // A service may consist of such days alone.
            var service = services[name] ?? Service(weekdays: 0, start: date, end: date)
            switch table.text(kind) {
            case "1": service.added.insert(date)
            case "2": service.removed.insert(date)
            default:
                report.add(
                    .skipped, "exception type", table.name, table.line,
                    "service \(name): exception_type \"\(table.text(kind))\" is neither 1 (added) nor 2 (removed)")
                continue
            }
            if service.weekdays == 0 {
                service.start = min(service.start, date)
                service.end = max(service.end, date)
            }
            services[name] = service
        }
    }

    /// Said in the report, because nobody sees a bus of a feed that has run out.
    func noteLastDay(of services: some Collection<Service>) {
        let last = services.compactMap { service in
            ([service.weekdays == 0 ? nil : service.end].compactMap { $0 } + service.added).max()
        }.max()
        guard let last else { return }
        let isOver = options.today.map { last < $0 } ?? false
        report.add(
            .noted, "last day", files.has("calendar.txt") ? "calendar.txt" : "calendar_dates.txt", nil,
            "the last day on which something runs is \(last)"
                + (isOver ? ": it is over, so nobody can ask for a stop. Take a newer feed" : ""))
    }
}
