// What events of the office change: its acts, alarms, reports, notices.
extension RecordedEvent {
    var ofOffice: Change? {
        switch type {
        case "audit":
            return Change(
                "audit", text("id"),
                [
                    "at": .set(now), "operator": .set(text("operator")), "command": .set(text("command")),
                    "target": .set(text("target")), "reason": .set(text("reason")),
                    "facts_before": .set(json("before")), "facts_after": .set(json("after")),
                ])
        case "sos.raised":
            // Again, after it was taken back, or when it was over: then it rings until somebody looks.
            return Change(
                "alarms", text("sos"),
                [
                    "role": .set(text("role")), "subject": .set(text("subject")), "ride": .set(text("ride")),
                    "booking": .set(text("booking")), "tour": .set(text("tour")), "vehicle": .set(text("vehicle")),
                    "raised_at": .first(now), "cancelled_at": .set(.null), "acknowledged_at": .set(.null),
                    "acknowledged_by": .set(.null), "acknowledged_note": .set(.null), "closed_at": .set(.null),
                    "closed_by": .set(.null), "closed_note": .set(.null), "text": .set(text("text")),
                    "lat": .set(number("lat")),
                    "lon": .set(number("lon")),
                ])
        case "sos.updated":
            return Change(
                "alarms", text("sos"),
                ["text": .set(text("text")), "lat": .set(number("lat")), "lon": .set(number("lon"))])
        case "sos.cancelled": return Change("alarms", text("sos"), ["cancelled_at": .set(now)])
        case "sos.acknowledged":
            return Change(
                "alarms", text("sos"),
                [
                    "acknowledged_at": .first(now), "acknowledged_by": .first(text("operator")),
                    "acknowledged_note": .first(text("note")),
                ])
        case "sos.closed":
            return Change(
                "alarms", text("sos"),
                ["closed_at": .set(now), "closed_by": .set(text("operator")), "closed_note": .set(text("note"))])
        case "report.sent":
            return Change(
                "reports", text("report"),
                [
                    "category": .set(text("category")), "sent_at": .set(now), "text": .set(text("text")),
                    "role": .set(text("role")), "subject": .set(text("subject")), "ride": .set(text("ride")),
                    "vehicle": .set(text("vehicle")),
                ])
        case "report.closed":
            return Change(
                "reports", text("report"),
                ["closed_at": .set(now), "closed_by": .set(text("operator")), "closed_note": .set(text("note"))])
        case "notify.sent":
            return Change(
                "notices", text("notice"),
                [
                    "operator": .set(text("operator")), "audience": .set(text("to")), "zone": .set(text("zone")),
                    "body": .set(text("text")), "people": .set(whole("people")), "sent_at": .set(now),
                ])
        default: return nil
        }
    }
}
