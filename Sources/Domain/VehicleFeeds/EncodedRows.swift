import Wire

/// What one scope has to tell one view in one encoding, ready to be put between the head and the end of a message.
final class EncodedRows {
    /// Full rows, and in JSON short ones: values with commas between; in Protocol Buffers whole fields.
    var rows: [UInt8] = []
    /// Movements in Protocol Buffers, without the field's head.
    var moved: [UInt8] = []
    /// Numbers of the vehicles to be forgotten.
    var gone: [UInt32] = []

    var isEmpty: Bool { rows.isEmpty && moved.isEmpty && gone.isEmpty }
}

/// By what encoded bytes are shared.
struct FeedCacheKey: Hashable {
    /// The tick that the reader knows; −1 for a snapshot.
    let since: Int
    let encoding: FeedEncoding
    /// Empty for encoded rows, which are the same in all channels.
    let channel: String
    let view: FeedView
    let viewHash: Int

    static func == (a: FeedCacheKey, b: FeedCacheKey) -> Bool {
        a.since == b.since && a.viewHash == b.viewHash && a.encoding == b.encoding && a.view == b.view
            && a.channel == b.channel
    }

    /// The view's own hash is known already.
    func hash(into hasher: inout Hasher) { hasher.combine(viewHash ^ since) }
}

/// A few values of one tick. Nearly always the one asked for is the one asked for before.
struct FeedCache<Value> {
    private var last: (key: FeedCacheKey, value: Value)?
    private var table: [FeedCacheKey: Value] = [:]

    /// The value of the key, made if it is not there.
    mutating func value(for key: FeedCacheKey, make: () -> Value) -> Value {
        if let last, last.key == key { return last.value }
        let value = table[key] ?? make()
        table[key] = value
        last = (key, value)
        return value
    }

    mutating func removeAll() {
        last = nil
        table.removeAll(keepingCapacity: table.capacity <= 16)
    }
}
