/// Objects in numbered slots. A slot's generation changes whenever it is emptied, so that an old id finds nothing.
struct SlotTable<Element: AnyObject> {
    private var slots: [Element?] = []
    /// From 1, so that no id is 0.
    private var generations: [UInt32] = []
    private var free: [UInt32] = []

    private(set) var count = 0

    subscript(id: ConnectionID) -> Element? {
        let slot = id.slot
        guard slot < slots.count, generations[slot] == id.generation else { return nil }
        return slots[slot]
    }

    mutating func insert(_ make: (ConnectionID) throws -> Element) rethrows -> Element {
        let slot: Int
        if let last = free.popLast() {
            slot = Int(last)
        } else {
            slot = slots.count
            slots.append(nil)
            generations.append(1)
        }
        let element: Element
        do {
            element = try make(ConnectionID(slot: slot, generation: generations[slot]))
        } catch {
            free.append(UInt32(slot))
            throw error
        }
        slots[slot] = element
        count += 1
        return element
    }

    mutating func remove(_ id: ConnectionID) {
        guard self[id] != nil else { return }
        slots[id.slot] = nil
        generations[id.slot] = generations[id.slot] == .max ? 1 : generations[id.slot] + 1
        free.append(UInt32(id.slot))
        count -= 1
    }

    /// The elements that there are now.
    var elements: [Element] { slots.compactMap { $0 } }
}
