// What operators write down of drivers and vehicles.
extension RecordedEvent {
    var ofRegistry: Change? {
        switch type {
        case "driver.registered":
            return Change(
                "drivers", text("driver"),
                [
                    "name": .set(text("name")), "phone": .set(text("phone")), "company": .set(text("company")),
                    "photo": .set(text("photo")), "licence": .set(text("licence")),
                    "licence_until": .set(text("licence_until")), "medical_until": .set(text("medical_until")),
                    "vehicle": .set(text("vehicle")), "capabilities": .set(json("capabilities")),
                    "registered_at": .first(now), "changed_at": .set(now), "changed_by": .set(text("by")),
                    "removed_at": .set(.null),
                ])
        case "driver.removed":
            // Who a trip was with is known by its id; what was personal goes with the record.
            return Change(
                "drivers", text("driver"),
                [
                    "name": .set(.null), "phone": .set(.null), "photo": .set(.null), "licence": .set(.null),
                    "licence_until": .set(.null), "medical_until": .set(.null), "vehicle": .set(.null),
                    "capabilities": .set(.null), "removed_at": .set(now),
                ])
        case "vehicle.registered":
            return Change(
                "vehicles", text("vehicle"),
                [
                    "plate": .set(text("plate")), "registration": .set(text("registration")),
                    "company": .set(text("company")), "model": .set(text("model")), "colour": .set(text("colour")),
                    "capabilities": .set(json("capabilities")), "registered_at": .first(now), "changed_at": .set(now),
                    "changed_by": .set(text("by")), "removed_at": .set(.null),
                ])
        case "vehicle.removed": return Change("vehicles", text("vehicle"), ["removed_at": .set(now)])
        default: return nil
        }
    }
}
