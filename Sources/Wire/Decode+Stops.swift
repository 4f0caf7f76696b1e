/// The commands of custom stops.
extension Envelope {
    func stopRequest() throws(ErrorReply) -> Command {
        let expectedName: StaticString = "a name, 1 to 80 bytes without control characters"
        guard let name = try rareText("name", upTo: WireLimits.personNameBytes, expectedName) else {
            throw rareRefusal("name", expectedName)
        }
        return .stopRequest(
            StopRequest(
                line: try requiredCatalogID(.line), place: try stopPlace(),
                at: try whole(.at, 0...WireLimits.largestInteger, Self.expectedPickup), passengers: try party() ?? 1,
                name: name,
                number: try rareText("number", upTo: WireLimits.phoneNumberBytes, "a number to call, 1 to 32 bytes"),
                address: try rareText("address", upTo: WireLimits.addressBytes, "an address, 1 to 200 bytes"),
                help: try help(), back: try back()))
    }

    /// The command of a driver's answer.
    func stopAnswer(_ answer: StopAnswer) throws(ErrorReply) -> Command {
        let all = rare("all")
        if let kind = all.kind, kind != .null, kind != .bool { throw rareRefusal("all", "true or false") }
        let isAll = all.kind == .bool && reader.bytes[all.start] == UInt8(ascii: "t")
        return .stopAnswer(answer, request: try request(), all: isAll)
    }

    func request() throws(ErrorReply) -> String {
        let slot = rare("request")
        let expected: StaticString = "the id of a request, 1 to 64 characters of A-Z a-z 0-9 _ . : -"
        guard slot.kind == .string, isText(slot.token, .identifier, upTo: WireLimits.identifierBytes) else {
            throw rareRefusal("request", expected)
        }
        return reader.text(slot.token)
    }

    private static var expectedPickup: StaticString { "the pickup time in Unix milliseconds, a whole number from 0" }

    private func party() throws(ErrorReply) -> Int? {
        try whole(.passengers, 1...99, "a whole number from 1 to 99").map(Int.init)
    }

    /// Either a stop of the line or a position.
    func stopPlace() throws(ErrorReply) -> StopRequest.Place {
        let slot = rare("stop")
        guard let kind = slot.kind, kind != .null else {
            let (lat, lon) = try place()
            return .point(lat: lat, lon: lon)
        }
        guard kind == .string, isText(slot.token, .visible, upTo: WireLimits.identifierBytes) else {
            throw rareRefusal("stop", "the id of a stop, 1 to 64 visible ASCII characters")
        }
        return .stop(reader.text(slot.token))
    }

    private func help() throws(ErrorReply) -> [String] {
        let slot = rare("help")
        guard let kind = slot.kind, kind != .null else { return [] }
        let expected: StaticString = "a list of up to 8 words like wheelchair, baggage, shopping"
        guard kind == .array else { throw rareRefusal("help", expected) }
        var list = JSONReader(UnsafeRawBufferPointer(rebasing: reader.bytes[slot.start..<slot.end]))
        var words: [String] = []
        // The text was checked with the whole message, so nothing fails here but what is thrown by name.
        try? list.enterArray()
        while (try? list.nextElement()) == true {
            guard words.count < 8, (try? list.kind()) == .string, let token = try? list.string() else {
                throw Self.refusal("help", expected, got: "got more, or something else")
            }
            let isWord = list.withBytes(token) { bytes in
                (1...32).contains(bytes.count) && bytes.allSatisfy(Alphabet.identifier.contains)
            }
            guard isWord else { throw Self.refusal("help", expected, got: "got a word of other characters") }
            words.append(list.text(token))
        }
        return words
    }

    private func back() throws(ErrorReply) -> StopRequest.Back? {
        let slot = rare("back")
        guard let kind = slot.kind, kind != .null else { return nil }
        var nested = Envelope(
            UnsafeRawBufferPointer(rebasing: reader.bytes[slot.start..<slot.end]), path: "back.")
        // The text was checked with the whole message: only a value that isn't an object fails here.
        do throws(WireError) { try nested.scan() } catch {
            throw rareRefusal("back", "an object with at, and stop or lat and lon")
        }
        try nested.require(.at, Self.expectedPickup)
        return StopRequest.Back(
            place: try nested.stopPlace(),
            at: try nested.whole(.at, 0...WireLimits.largestInteger, Self.expectedPickup) ?? 0,
            passengers: try nested.party())
    }

    // MARK: fields of these commands only

    /// A field that is not in the table: these commands come a few times an hour, and room for their fields would be
    /// cleared for every position. The message is read again for each.
    private func rare(_ name: StaticString) -> Slot {
        var again = Envelope(reader.bytes)
        var found = Slot()
        // The text was checked before.
        try? again.enter()
        while let member = try? again.nextMember() {
            if again.reader.withBytes(member.key, { name ~= ByteText($0) }) { found = member.value }
        }
        return found
    }

    /// Text for people; nil if the field is absent.
    private func rareText(_ name: StaticString, upTo limit: Int, _ expected: StaticString) throws(ErrorReply) -> String?
    {
        let slot = rare(name)
        guard let kind = slot.kind, kind != .null else { return nil }
        guard kind == .string else { throw rareRefusal(name, expected) }
        let isFit = reader.withBytes(slot.token) { bytes in
            (1...limit).contains(bytes.count) && bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        }
        guard isFit else { throw rareRefusal(name, expected) }
        return reader.text(slot.token)
    }

    private func rareRefusal(_ name: StaticString, _ expected: StaticString) -> ErrorReply {
        Self.refusal(self.name(name), expected, got: got(rare(name)))
    }
}
