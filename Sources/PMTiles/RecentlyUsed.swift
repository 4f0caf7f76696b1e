/// What can be had again at a price, and is kept up to so much in all: what was not used for longest makes room.
public struct RecentlyUsed<Key: Hashable, Value> {
    private struct Entry {
        let value: Value
        let size: Int
        /// Used before this one, and after it.
        var older: Key?
        var newer: Key?
    }

    private let most: Int
    private var entries: [Key: Entry] = [:]
    private var oldest: Key?
    private var newest: Key?
    /// Of all together.
    public private(set) var size = 0

    /// most: of the sizes of all that is kept.
    public init(most: Int) { self.most = most }

    /// Nil: it is not kept.
    public mutating func use(_ key: Key) -> Value? {
        guard let entry = entries[key] else { return nil }
        if key != newest {
            unlink(entry)
            link(key, entry.value, entry.size)
        }
        return entry.value
    }

    /// Keeps it in place of what has this key, also where it alone is too large.
    public mutating func keep(_ value: Value, as key: Key, size: Int) {
        remove(key)
        while self.size + size > most, let oldest { remove(oldest) }
        link(key, value, size)
        self.size += size
    }

    /// Nothing happens when it is not kept.
    public mutating func remove(_ key: Key) {
        guard let entry = entries.removeValue(forKey: key) else { return }
        unlink(entry)
        size -= entry.size
    }

    /// Joins those on both sides of it.
    private mutating func unlink(_ entry: Entry) {
        if let older = entry.older { entries[older]?.newer = entry.newer } else { oldest = entry.newer }
        if let newer = entry.newer { entries[newer]?.older = entry.older } else { newest = entry.older }
    }

    private mutating func link(_ key: Key, _ value: Value, _ size: Int) {
        entries[key] = Entry(value: value, size: size, older: newest)
        if let newest { entries[newest]?.newer = key } else { oldest = key }
        newest = key
    }
}
