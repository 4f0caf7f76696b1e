/// The members of a JSON object in their order. Keys are told apart by their bytes, not by how they look: the composed
/// and the decomposed "é" are two keys, as in any other JSON library.
public struct JSONObject: Sendable, Sequence, ExpressibleByDictionaryLiteral {
    public typealias Element = (key: String, value: JSONValue)

    private var entries: [Element] = []
    /// Places by key once there are many, so that an object with thousands of keys costs no quadratic time.
    private var places: [[UInt8]: Int] = [:]
    private static let fewEntries = 16

    public init() {}

    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        for (key, value) in elements { self[key] = value }
    }

    public var count: Int { entries.count }
    public var isEmpty: Bool { entries.isEmpty }
    public var keys: [String] { entries.map(\.key) }

    public func makeIterator() -> IndexingIterator<[Element]> { entries.makeIterator() }

    /// Setting a key that is there keeps its place; setting nil removes it.
    public subscript(key: String) -> JSONValue? {
        get { place(of: key).map { entries[$0].value } }
        set {
            switch (place(of: key), newValue) {
            case (let place?, let value?):
                entries[place].value = value
            case (nil, let value?):
                entries.append((key, value))
                if entries.count == Self.fewEntries + 1 {
                    index()
                } else if entries.count > Self.fewEntries {
                    places[Array(key.utf8)] = entries.count - 1
                }
            case (let place?, nil):
                entries.remove(at: place)
                index()
            case (nil, nil):
                break
            }
        }
    }

    private func place(of key: String) -> Int? {
        guard entries.count <= Self.fewEntries else { return places[Array(key.utf8)] }
        return entries.firstIndex { $0.key.utf8.elementsEqual(key.utf8) }
    }

    private mutating func index() {
        places.removeAll(keepingCapacity: true)
        guard entries.count > Self.fewEntries else { return }
        for (place, entry) in entries.enumerated() { places[Array(entry.key.utf8)] = place }
    }
}

extension JSONObject: Equatable {
    /// The same members; their order doesn't count.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.count == right.count && left.allSatisfy { right[$0.key] == $0.value }
    }
}
