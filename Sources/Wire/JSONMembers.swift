/// The members of a JSON object that is not read as a whole. Any thread.
public enum JSONMembers {
    /// The texts of those members that are texts and have one of these names.
    public static func texts(of names: [String], in object: UnsafeRawBufferPointer) -> [String] {
        var found: [String] = []
        try? each(object) { reader, name, _ throws(WireError) in
            guard names.contains(name), try reader.kind() == .string else { return try reader.skipValue() }
            let token = try reader.string()
            found.append(reader.text(token))
        }
        return found
    }

    /// The object with the members of these names only, as they are written. `{}` if it can't be read.
    public static func only(_ names: [String], of object: UnsafeRawBufferPointer) -> [UInt8] {
        var result: [UInt8] = [UInt8(ascii: "{")]
        result.reserveCapacity(object.count)
        do throws(WireError) {
            try each(object) { reader, name, start throws(WireError) in
                try reader.skipValue()
                guard names.contains(name) else { return }
                if result.count > 1 { result.append(UInt8(ascii: ",")) }
                result.append(contentsOf: object[start..<reader.offset])
            }
        } catch {
            result = [UInt8(ascii: "{")]
        }
        result.append(UInt8(ascii: "}"))
        return result
    }

    /// Calls `body` before each value, which it reads; `start`: where the member's name begins, with its quote.
    private static func each(
        _ object: UnsafeRawBufferPointer,
        _ body: (_ reader: inout JSONReader, _ name: String, _ start: Int) throws(WireError) -> Void
    ) throws(WireError) {
        var reader = JSONReader(object)
        try reader.enterObject()
        while let key = try reader.nextKey() {
            let name = reader.text(key)
            try body(&reader, name, key.start - 1)
        }
    }
}
