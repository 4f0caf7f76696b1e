import Foundation

/// Something that tells: handlers by type, in the client's isolation.
final class Teller {
    /// Gets what is told; its answer comes when it is done with it, if that is later. Throws where it failed.
    typealias Handler = @Sendable (any Sendable) throws -> Answer?

    /// Told what a handler throws at once.
    var onFault: (any Error) -> Void = { _ in }
    private var handlers: [String: [(id: Int, call: Handler)]] = [:]
    private var last = 0

    /// `type`: of an event or a state; `*` for all. What is returned ends it, by `remove`.
    func add(_ type: String, _ handler: @escaping Handler) -> Int {
        last += 1
        handlers[type, default: []].append((last, handler))
        return last
    }

    func remove(_ type: String, _ id: Int) {
        handlers[type]?.removeAll { $0.id == id }
    }

    /// Whether anybody wants to know.
    func hears(_ type: String) -> Bool {
        handlers[type]?.isEmpty == false
    }

    /// Tells a message, also those who want all.
    func tell(_ message: Message) -> [Answer]? {
        call((handlers[message.type] ?? []) + (handlers["*"] ?? []), message)
    }

    /// Tells what the client itself has to say.
    func tell<Notice: Told>(_ notice: Notice) {
        _ = call(handlers[Notice.type] ?? [], notice)
    }

    /// The answers of handlers that are not done yet; nil instead if one has thrown.
    private func call(_ handlers: [(id: Int, call: Handler)], _ told: any Sendable) -> [Answer]? {
        var answers: [Answer] = []
        var isDone = true
        for handler in handlers {
            do {
                if let answer = try handler.call(told) { answers.append(answer) }
            } catch {
                isDone = false
                // Who is told of faults and fails has nobody to be told.
                if told is Fault { Teller.write(error) } else { onFault(error) }
            }
        }
        return isDone ? answers : nil
    }

    /// On the standard error.
    static func write(_ error: any Error) {
        FileHandle.standardError.write(Data("kerbside: \(error)\n".utf8))
    }
}

/// Makes handlers of those that the app writes.
enum Handlers {
    static func of<Value: Sendable>(
        _ read: @escaping @Sendable (any Sendable) throws -> Value,
        _ handler: @escaping @Sendable (Value) throws -> Void
    ) -> Teller.Handler {
        { told in
            try handler(read(told))
            return nil
        }
    }

    /// Those that wait are called one after the other, in a task of theirs.
    static func of<Value: Sendable>(
        _ read: @escaping @Sendable (any Sendable) throws -> Value, fault: @escaping @Sendable (any Error) -> Void,
        _ handler: @escaping @Sendable (Value) async throws -> Void
    ) -> Teller.Handler {
        let chain = Chain()
        return { told in
            let value = try read(told)
            let (answer, settle) = Answer.make()
            chain.add {
                do { try await handler(value) } catch { fault(error) }
                settle(true)
            }
            return answer
        }
    }

    static let message: @Sendable (any Sendable) throws -> Message = { told in
        guard let message = told as? Message else { throw Misuse(reason: "\(told) is no message") }
        return message
    }
}

/// A handler that was handed to `on`.
public struct Registration: Sendable {
    let end: @Sendable () async -> Void

    /// It is called no more.
    public func cancel() async {
        await end()
    }
}
