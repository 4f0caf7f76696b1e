import DequeModule

/// What waits to be done on this worker. Subjects take turns, and what is one's own is in its order: who has much of it waits for itself,
/// and the others for one of each subject.
struct SubjectQueue<Element> {
    private var lines: [String: Deque<Element>] = [:]
    /// Each subject that has a line, once.
    private var turns: Deque<String> = []

    var isEmpty: Bool { turns.isEmpty }

    mutating func append(_ element: Element, of subject: String) {
        if lines[subject] == nil { turns.append(subject) }
        lines[subject, default: []].append(element)
    }

    mutating func next() -> Element? {
        guard let subject = turns.popFirst(), let element = lines[subject]?.popFirst() else { return nil }
        if lines[subject]?.isEmpty == false { turns.append(subject) } else { lines[subject] = nil }
        return element
    }
}
