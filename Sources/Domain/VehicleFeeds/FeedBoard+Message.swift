/// Whole messages of encoded rows.
extension FeedBoard {
    func write(
        _ subscription: FeedSubscription, _ parts: [EncodedRows], gone: [UInt32], isSnapshot: Bool,
        into payload: inout [UInt8]
    ) {
        let room = parts.reduce(128 + gone.count * 12) { $0 + $1.rows.count + $1.moved.count + 1 }
        payload.reserveCapacity(room)
        switch subscription.encoding {
        case .json: writeJSON(subscription, parts, gone, isSnapshot, &payload)
        case .protobuf: writeProtobuf(subscription, parts, gone, isSnapshot, &payload)
        }
    }

    /// `{"ch":…,"type":"positions"|"snapshot","time":…,"gone":[…],"data":[…]}`
    private func writeJSON(
        _ subscription: FeedSubscription, _ parts: [EncodedRows], _ gone: [UInt32], _ isSnapshot: Bool,
        _ payload: inout [UInt8]
    ) {
        payload.append("{\"ch\":")
        payload.append(contentsOf: subscription.quotedChannel)
        payload.append(isSnapshot ? ",\"type\":\"snapshot\",\"time\":" : ",\"type\":\"positions\",\"time\":")
        payload.appendDecimal(now)
        if !gone.isEmpty {
            payload.append(",\"gone\":[")
            for (place, number) in gone.enumerated() {
                if place > 0 { payload.append(ascii: ",") }
                payload.append(contentsOf: vehicles[Int(number)].quotedID)
            }
            payload.append(ascii: "]")
        }
        payload.append(",\"data\":[")
        var needsComma = false
        for part in parts where !part.rows.isEmpty {
            if needsComma { payload.append(ascii: ",") }
            payload.append(contentsOf: part.rows)
            needsComma = true
        }
        payload.append("]}")
    }

    /// A `ServerMessage` with `positions`, its field 15.
    private func writeProtobuf(
        _ subscription: FeedSubscription, _ parts: [EncodedRows], _ gone: [UInt32], _ isSnapshot: Bool,
        _ payload: inout [UInt8]
    ) {
        let channel = subscription.channel.utf8
        let time = UInt64(max(0, now))
        var (rows, moved) = (0, 0)
        for part in parts {
            rows += part.rows.count
            moved += part.moved.count
        }
        let goneLength = gone.reduce(0) { $0 + [UInt8].varintLength(UInt64($1)) }
        var length = Self.fieldLength(channel.count) + rows + (isSnapshot ? 2 : 0)
        if time > 0 { length += 1 + [UInt8].varintLength(time) }
        if goneLength > 0 { length += Self.fieldLength(goneLength) }
        if moved > 0 { length += Self.fieldLength(moved) }
        payload.appendHead(15, length: length)
        payload.appendHead(1, length: channel.count)
        payload.append(contentsOf: channel)
        payload.appendField(2, time)
        if isSnapshot { payload.appendField(3, 1) }
        if goneLength > 0 {
            payload.appendHead(4, length: goneLength)
            for number in gone { payload.appendVarint(UInt64(number)) }
        }
        for part in parts { payload.append(contentsOf: part.rows) }
        if moved > 0 {
            payload.appendHead(6, length: moved)
            for part in parts { payload.append(contentsOf: part.moved) }
        }
    }

    /// A field of so many bytes with its head.
    private static func fieldLength(_ count: Int) -> Int { 1 + [UInt8].varintLength(UInt64(count)) + count }
}
