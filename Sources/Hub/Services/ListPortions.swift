import RedisLink

/// A list as the functions give it: whole, or in portions, as a long one in one call would have everybody wait (portions.lua). What the portions
/// bring is joined to the reply that one call would have answered.
struct ListPortions {
    /// The call that reads a portion: its function, and what it is given with the portion's ids.
    typealias Rest = (_ ids: RedisArgument) -> (function: String, arguments: FunctionArguments)

    enum Step {
        /// Another portion is to be read.
        case more(function: String, arguments: FunctionArguments)
        /// That was the last one, or one that failed: the answer to the command.
        case over(RedisFunctions.Answer)
    }

    /// The reply as far as it was read.
    private(set) var json: [UInt8] = []
    /// So many bytes of the reply came with the answer that was taken last.
    private(set) var brought = 0
    private let rest: Rest?
    private var hasBegun = false
    /// What the reply has after its last element.
    private var end: [UInt8] = []
    /// Ids of each portion that has not been asked for, the next one first.
    private var left: ArraySlice<RedisReply> = []

    /// - Parameter rest: nil: the function answers its list whole.
    init(rest: Rest?) { self.rest = rest }

    /// Takes the answer to the last call. One that has failed is the answer to the command, whatever was read before.
    mutating func take(_ result: Result<RedisReply, RedisFailure>) -> Step {
        let before = json.count + end.count
        let step = hasBegun ? goOn(RedisFunctions.answer(result)) : begin(result)
        brought = json.count + end.count - before
        return step
    }

    private mutating func begin(_ result: Result<RedisReply, RedisFailure>) -> Step {
        hasBegun = true
        guard rest != nil, case .success(.array(let parts)) = result, parts.count > 1,
            let end = parts[1].bytes, case .ok(let beginning) = RedisFunctions.answer(.success(parts[0]))
        else {
            let answer = RedisFunctions.answer(result)
            if case .ok(let whole) = answer { json = whole }
            return .over(answer)
        }
        (json, self.end, left) = (beginning, end, parts.dropFirst(2))
        return next()
    }

    private mutating func goOn(_ answer: RedisFunctions.Answer) -> Step {
        guard case .ok(let elements) = answer else { return .over(answer) }
        // All of a portion may be gone meanwhile, and all before it.
        if !elements.isEmpty {
            if json.last != UInt8(ascii: "[") { json.append(UInt8(ascii: ",")) }
            json += elements
        }
        return next()
    }

    private mutating func next() -> Step {
        guard let rest, let ids = left.popFirst() else { return .over(.ok(json + end)) }
        let (function, arguments) = rest(RedisArgument(ids.bytes ?? []))
        return .more(function: function, arguments: arguments)
    }
}
