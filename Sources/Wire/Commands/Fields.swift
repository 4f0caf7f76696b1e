/// How a value stands in an object: as one field, or as several. Reads and writes by one description.
struct Fields<Value: Sendable>: Sendable {
    let names: [StaticString]
    /// Throws the refusal of the first wrong field.
    let read: @Sendable (Envelope) throws(ErrorReply) -> Value
    /// Writes names and values; what is absent is left out.
    let write: @Sendable (Value, inout JSONWriter) -> Void
}

extension Fields {
    /// A value of several parts, read and written in this order. `take` gives the parts of a value.
    init<each Part>(
        _ parts: repeat Fields<each Part>, make: @escaping @Sendable (repeat each Part) -> Value,
        take: @escaping @Sendable (Value) -> (repeat each Part)
    ) {
        let parts = (repeat each parts)
        var names: [StaticString] = []
        repeat names.append(contentsOf: (each parts).names)
        self.names = names
        read = { (object) throws(ErrorReply) in make(repeat try (each parts).read(object)) }
        write = { value, writer in
            let values = take(value)
            repeat (each parts).write(each values, &writer)
        }
    }
}

extension Fields {
    /// The same, but that one of these is missing is told before what is wrong with any.
    func demanding<each Kind: FieldKind>(_ first: repeat (StaticString, each Kind)) -> Fields {
        let first = (repeat each first)
        return Fields(names: names) { (object) throws(ErrorReply) in
            repeat try object.demand((each first).0, (each first).1)
            return try read(object)
        } write: { value, writer in
            write(value, &writer)
        }
    }
}

/// One field.
enum Field {
    static func required<Kind: FieldKind>(_ name: StaticString, _ kind: Kind) -> Fields<Kind.Value> {
        Fields(names: [name]) { (object) throws(ErrorReply) in
            try object.required(name, kind)
        } write: { value, writer in
            writer.key(name)
            kind.write(value, into: &writer)
        }
    }

    static func optional<Kind: FieldKind>(_ name: StaticString, _ kind: Kind) -> Fields<Kind.Value?> {
        Fields(names: [name]) { (object) throws(ErrorReply) in
            try object.optional(name, kind)
        } write: { value, writer in
            guard let value else { return }
            writer.key(name)
            kind.write(value, into: &writer)
        }
    }

    /// One whose absence says the same as `absent`, and which is left out then.
    static func optional<Kind: FieldKind>(
        _ name: StaticString, _ kind: Kind, absent: Kind.Value
    ) -> Fields<Kind.Value> where Kind.Value: Equatable {
        Fields(names: [name]) { (object) throws(ErrorReply) in
            try object.optional(name, kind) ?? absent
        } write: { value, writer in
            guard value != absent else { return }
            writer.key(name)
            kind.write(value, into: &writer)
        }
    }
}

// Kinds that several commands have.

extension FieldKind where Self == NumberKind {
    static var latitude: NumberKind { NumberKind(-90...90, "a number from -90 to 90") }
    static var longitude: NumberKind { NumberKind(-180...180, "a number from -180 to 180") }
}

extension FieldKind where Self == WholeKind<Int> {
    static var party: WholeKind<Int> { WholeKind(1...99, "a whole number from 1 to 99") }
}

extension FieldKind where Self == TextKind {
    static func identifier(_ expected: StaticString) -> TextKind {
        TextKind(.identifier, upTo: WireLimits.identifierBytes, expected)
    }

    static var word: TextKind { .identifier("1 to 64 characters of A-Z a-z 0-9 _ . : -") }
    static var vehicle: TextKind { .identifier("a vehicle's id, 1 to 64 characters of A-Z a-z 0-9 _ . : -") }
    /// As its makers gave it.
    static var catalogID: TextKind {
        TextKind(
            .visible, upTo: WireLimits.identifierBytes, "an id of the catalog, 1 to 64 visible ASCII characters")
    }
}

extension FieldKind where Self == ObjectKind<Place> {
    static var place: ObjectKind<Place> { ObjectKind(expected: "an object with lat and lon", fields: Place.fields) }
}
