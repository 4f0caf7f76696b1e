import DequeModule

/// Work of which each piece costs Redis much: so many pieces are under way at once, one of each subject, and whoever has
/// several waits until others have had their turn. So a worker asks Redis for so much at once, however many tokens ask it, and
/// a subject has paid for a piece before its next one begins.
///
/// Used on the worker's loop.
final class SubjectTurns {
    /// Begins a piece, and says whether it has begun: then `ended` is to be called once.
    typealias Piece = (_ ended: @escaping () -> Void) -> Bool

    /// A subject with a piece under way, or with pieces that wait.
    private struct Queue {
        /// Its identity is the key: it must not be somebody else's meanwhile.
        let subject: AnyObject
        var pieces: Deque<Piece> = []
    }

    /// Lists that wait of one subject: a page asks for some, and each that waits is paid.
    static let mostLists = 32

    private let most: Int
    private let mostOfSubject: Int
    private var underWay = 0
    private var queues: [ObjectIdentifier: Queue] = [:]
    /// Those with pieces that wait, and none under way.
    private var order: Deque<ObjectIdentifier> = []

    /// - Parameters:
    ///   - most: pieces under way at once.
    ///   - mostOfSubject: pieces of one subject that wait.
    init(most: Int, mostOfSubject: Int) {
        self.most = most
        self.mostOfSubject = mostOfSubject
    }

    /// Adds a piece of a subject, mostly somebody's ``Budget``. False: too many of its pieces wait; it is not taken.
    func add(_ subject: AnyObject, _ piece: @escaping Piece) -> Bool {
        let key = ObjectIdentifier(subject)
        if queues[key] == nil {
            queues[key] = Queue(subject: subject)
            order.append(key)
        }
        guard queues[key]!.pieces.count < mostOfSubject else { return false }
        queues[key]!.pieces.append(piece)
        next()
        return true
    }

    private func next() {
        while underWay < most, let key = order.popFirst(), let piece = queues[key]?.pieces.popFirst() {
            underWay += 1
            let hasBegun = piece {
                self.end(key)
                self.next()
            }
            if !hasBegun { end(key) }
        }
    }

    private func end(_ key: ObjectIdentifier) {
        underWay -= 1
        if queues[key]?.pieces.isEmpty == false { order.append(key) } else { queues[key] = nil }
    }
}
