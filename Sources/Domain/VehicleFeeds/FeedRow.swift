import Wire

/// A vehicle's row in each encoding, appended to encoded rows. What they mean is in `config/contract`.
extension EncodedRows {
    /// All that is shown of a vehicle.
    func appendFull(_ vehicle: borrowing FeedVehicle, number: UInt32, encoding: FeedEncoding) {
        switch encoding {
        case .json: appendFullJSON(vehicle)
        case .protobuf: appendFullProtobuf(vehicle, number: number)
        }
    }

    /// Only place and time. `time` is the message's.
    func appendMoved(_ vehicle: borrowing FeedVehicle, number: UInt32, time: Int64, encoding: FeedEncoding) {
        let age = time - vehicle.shown.at
        switch encoding {
        case .json:
            appendPlaceJSON(vehicle)
            rows.appendDecimal(age)
            rows.append(ascii: "]")
        case .protobuf:
            let corner = CellGrid.corner5(of: vehicle.shown.cell)
            moved.appendVarint(UInt64(number))
            moved.appendVarint(UInt64(UInt32(bitPattern: vehicle.shown.lat5 &- corner.lat)))
            moved.appendVarint(UInt64(UInt32(bitPattern: vehicle.shown.lon5 &- corner.lon)))
            moved.appendVarint(UInt64(Self.course(vehicle.shown.heading)))
            moved.appendVarint(UInt64(min(max(age + 5, 0) / 10, Int64(UInt32.max))))
        }
    }

    /// `[id,lat,lon,heading|null,`
    private func appendPlaceJSON(_ vehicle: borrowing FeedVehicle) {
        if !rows.isEmpty { rows.append(ascii: ",") }
        rows.append(ascii: "[")
        rows.append(contentsOf: vehicle.quotedID)
        rows.append(ascii: ",")
        rows.appendDegrees(vehicle.shown.lat5)
        rows.append(ascii: ",")
        rows.appendDegrees(vehicle.shown.lon5)
        rows.append(ascii: ",")
        if vehicle.shown.heading < 0 {
            rows.append("null")
        } else {
            rows.appendDecimal(Int64(vehicle.shown.heading))
        }
        rows.append(ascii: ",")
    }

    /// `[id,lat,lon,heading|null,state,seats|null,at` and then, only as far as needed, `,freshness,kind,route]`.
    private func appendFullJSON(_ vehicle: borrowing FeedVehicle) {
        appendPlaceJSON(vehicle)
        appendWord(vehicle.shown.traits.state.text)
        rows.append(ascii: ",")
        if vehicle.shown.traits.seats < 0 {
            rows.append("null")
        } else {
            rows.appendDecimal(Int64(vehicle.shown.traits.seats))
        }
        rows.append(ascii: ",")
        rows.appendDecimal(vehicle.shown.at)
        let route = vehicle.shown.traits.route
        let hasKind = vehicle.shown.traits.kind != .taxi || route != nil
        if hasKind || vehicle.shown.traits.freshness != .live {
            rows.append(ascii: ",")
            appendWord(vehicle.shown.traits.freshness.text)
        }
        if hasKind {
            rows.append(ascii: ",")
            appendWord(vehicle.shown.traits.kind.text)
        }
        if let route {
            rows.append(ascii: ",")
            rows.appendQuoted(route)
        }
        rows.append(ascii: "]")
    }

    private func appendWord(_ word: StaticString) {
        rows.append(ascii: "\"")
        rows.append(word)
        rows.append(ascii: "\"")
    }

    /// A message `Vehicle` as field 5.
    private func appendFullProtobuf(_ vehicle: borrowing FeedVehicle, number: UInt32) {
        let shown = vehicle.shown
        let corner = CellGrid.corner5(of: shown.cell)
        // The length comes before the message: it is written behind and put in its place when known.
        let start = rows.count
        rows.appendField(1, UInt64(number))
        rows.appendHead(2, length: vehicle.id.count)
        rows.append(contentsOf: vehicle.id)
        rows.appendField(3, Self.zigzag(corner.lat))
        rows.appendField(4, Self.zigzag(corner.lon))
        rows.appendField(5, UInt64(UInt32(bitPattern: shown.lat5 &- corner.lat)))
        rows.appendField(6, UInt64(UInt32(bitPattern: shown.lon5 &- corner.lon)))
        rows.appendField(7, UInt64(Self.course(shown.heading)))
        rows.appendField(8, UInt64(shown.traits.state.rawValue))
        rows.appendField(9, UInt64(truncatingIfNeeded: shown.traits.seats + 1))
        rows.appendField(10, UInt64(max(0, shown.at)))
        rows.appendField(11, UInt64(shown.traits.freshness.rawValue))
        rows.appendField(12, UInt64(shown.traits.kind.rawValue))
        if let route = shown.traits.route {
            rows.appendHead(13, length: route.utf8.count)
            rows.append(contentsOf: route.utf8)
        }
        var head: [UInt8] = []
        head.appendHead(5, length: rows.count - start)
        rows.insert(contentsOf: head, at: start)
    }

    private static func zigzag(_ value: Int32) -> UInt64 { UInt64(UInt32(bitPattern: value << 1 ^ value >> 31)) }

    /// A heading in steps of 3 degrees, 1…120, or 0 for none.
    private static func course(_ heading: Int16) -> UInt32 {
        heading < 0 ? 0 : 1 + UInt32(truncatingIfNeeded: (Int(heading) + 1) / 3 % 120)
    }
}
