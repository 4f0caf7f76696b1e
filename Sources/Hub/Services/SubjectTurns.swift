import DequeModule

/// Work of which each piece costs Redis much: so many pieces are under way at once, and whoever has several waits until
/// others have had their turn. So a worker asks Redis for so much at once, however many tokens ask it.
///
/// Used on the worker's loop.
final class SubjectTurns {
    /// Begins a piece, and says whether it has begun: then `ended` is to be called once.
    typealias Piece = () -> Bool

    private let most: Int
    private let mostOfSubject: Int
    private var underWay = 0
    private var waiting: [ObjectIdentifier: Deque<Piece>] = [:]
    private var order: Deque<ObjectIdentifier> = []

    /// - Parameters:
    ///   - most: pieces under way at once.
    ///   - mostOfSubject: pieces of one subject that wait.
    init(most: Int, mostOfSubject: Int) {
        self.most = most
        self.mostOfSubject = mostOfSubject
    }

    /// Adds a piece of a subject, which it has to keep alive. False: too many of its pieces wait; it is not taken.
    func add(_ subject: Budget, _ piece: @escaping Piece) -> Bool {
        let key = ObjectIdentifier(subject)
        guard waiting[key, default: []].count < mostOfSubject else { return false }
        if waiting[key] == nil { order.append(key) }
        waiting[key, default: []].append(piece)
        next()
        return true
    }

    /// A piece that has begun is over.
    func ended() {
        underWay -= 1
        next()
    }

    private func next() {
        while underWay < most, let key = order.popFirst(), let piece = waiting[key]?.popFirst() {
            if waiting[key]?.isEmpty == true { waiting[key] = nil } else { order.append(key) }
            underWay += 1
            if !piece() { underWay -= 1 }
        }
    }
}
