import WebSocketServer

/// Objects by the connections that they belong to, found by the connection's slot: each message asks for some.
struct ConnectionTable<Element: AnyObject> {
    private var entries: [(connection: ConnectionID, element: Element)?] = []
    private(set) var count = 0

    subscript(connection: ConnectionID) -> Element? {
        get {
            let slot = connection.slot
            guard slot < entries.count, let entry = entries[slot], entry.connection == connection else { return nil }
            return entry.element
        }
        set {
            let slot = connection.slot
            guard let newValue else {
                guard self[connection] != nil else { return }
                entries[slot] = nil
                count -= 1
                return
            }
            while entries.count <= slot { entries.append(nil) }
            if entries[slot] == nil { count += 1 }
            entries[slot] = (connection, newValue)
        }
    }

    /// Nil: there is none.
    mutating func remove(_ connection: ConnectionID) -> Element? {
        let element = self[connection]
        self[connection] = nil
        return element
    }

    var elements: some Collection<Element> { entries.lazy.compactMap { $0?.element } }
}
