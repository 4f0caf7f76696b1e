extension JSONValue {
    /// Reads one JSON text, as strictly as `JSONReader`. A key that comes twice has its last value. The error has line
    /// and column.
    public init(parsing bytes: UnsafeRawBufferPointer) throws(WireError) {
        var reader = JSONReader(bytes)
        do throws(WireError) {
            self = try reader.value()
            try reader.finish()
        } catch {
            throw error.located(in: bytes)
        }
    }

    public init(parsing bytes: [UInt8]) throws(WireError) {
        self = try bytes.withUnsafeBytes { buffer in
            Result { () throws(WireError) in try JSONValue(parsing: buffer) }
        }.get()
    }

    public init(parsing text: String) throws(WireError) {
        self = try JSONValue(parsing: Array(text.utf8))
    }
}

extension JSONReader {
    /// Reads the next value whole.
    public mutating func value() throws(WireError) -> JSONValue {
        switch try kind() {
        case .null:
            try null()
            return .null
        case .bool: return .bool(try bool())
        case .number: return .number(try number().double)
        case .string: return .string(text(try string()))
        case .array:
            var elements: [JSONValue] = []
            try enterArray()
            while try nextElement() { elements.append(try value()) }
            return .array(elements)
        case .object:
            var object = JSONObject()
            try enterObject()
            while let key = try nextKey() { object[text(key)] = try value() }
            return .object(object)
        }
    }
}
