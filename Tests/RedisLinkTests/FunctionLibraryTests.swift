import Testing

@testable import RedisLink

@Suite(.serialized) struct FunctionLibraryTests {
    static func source(_ answer: Int) -> String {
        """
        local function answer() return \(answer) end
        register('answer', function(keys, args) return answer() end)
        register("echo", function(keys, args) return {keys[1], args[1], args[2]} end, {'no-writes'})
        """
    }

    @Test("Names carry a hash of the text; every registered name is known")
    func names() {
        let first = FunctionLibrary(Self.source(1))
        let same = FunctionLibrary(Self.source(1))
        let other = FunctionLibrary(Self.source(2))
        #expect(first.name == same.name)
        #expect(first.name != other.name)
        #expect(first.name.hasPrefix("kerbside_"))
        #expect(first.name.utf8.count == 17)
        #expect(first.functions == ["answer", "echo"])
        #expect(first.text.starts(with: "#!lua name=\(first.name)\n".utf8))
    }

    @Test("A module imports from those before it, by name, and sees nothing else of them")
    func modules() throws {
        let redis = try TestRedis()
        let run = try LoopRun()
        let connection = RedisConnection(loop: run.loop, endpoint: .unix(path: redis.socket))
        let library = FunctionLibrary(modules: [
            .init("one", Array("local a, hidden, c = 1, 2, 3 return { a = a, c = c }".utf8)),
            .init(
                "two",
                Array(
                    """
                    local c, a = import('one', 'c', 'a')
                    register('sum', function() return { a, c, pcall(function() return hidden end) and 1 or 0 } end)
                    """.utf8)),
        ])
        var answer = RedisReply.null
        connection.onUp = {
            library.load(on: connection) { #expect($0 == nil) }
            library.call("sum", keys: [], arguments: [], on: connection) {
                answer = (try? $0.get()) ?? .null
                run.finish()
            }
        }
        connection.start()
        run.run()
        #expect(answer == .array([.integer(1), .integer(3), .integer(0)]))
    }

    @Test("Two versions live in one Redis, and each calls its own")
    func coexistence() throws {
        let redis = try TestRedis()
        let run = try LoopRun()
        let connection = RedisConnection(loop: run.loop, endpoint: .unix(path: redis.socket))
        let libraries = [FunctionLibrary(Self.source(1)), FunctionLibrary(Self.source(2))]
        var answers: [RedisReply] = []
        let collect = { (result: Result<RedisReply, RedisFailure>) in answers.append((try? result.get()) ?? .null) }
        connection.onUp = {
            // Loaded twice: what is there already is no error.
            for library in libraries + libraries { library.load(on: connection) { #expect($0 == nil) } }
            for library in libraries {
                library.call("answer", keys: [], arguments: [], on: connection, collect)
                library.call(
                    "echo", keys: ["k"], arguments: [RedisArgument([0, 13, 10, 255]), 5], on: connection, collect)
            }
            connection.send(["PING"]) { _ in run.finish() }
        }
        connection.start()
        run.run()
        connection.close()
        let echo = RedisReply.array([.string(Array("k".utf8)), .string([0, 13, 10, 255]), .string(Array("5".utf8))])
        #expect(answers == [.integer(1), echo, .integer(2), echo])
    }

    @Test("N1: after Redis was wiped the library is loaded again, once, and every call takes effect once")
    func reload() throws {
        let redis = try TestRedis()
        let run = try LoopRun()
        let connection = RedisConnection(loop: run.loop, endpoint: .unix(path: redis.socket))
        let library = FunctionLibrary("register('hit', function(keys) return redis.call('INCR', keys[1]) end)")
        var answers: [Int64?] = []
        var loads = ""
        connection.onUp = {
            library.load(on: connection) { #expect($0 == nil) }
            connection.send(["FUNCTION", "FLUSH"]) { _ in }
            connection.send(["CONFIG", "RESETSTAT"]) { _ in }
            for _ in 0..<1000 {
                library.call("hit", keys: ["n"], arguments: [], on: connection) { result in
                    answers.append(try? result.get().int)
                    guard answers.count == 1000 else { return }
                    connection.send(["INFO", "commandstats"]) { result in
                        loads = (try? result.get().text) ?? ""
                        run.finish()
                    }
                }
            }
        }
        connection.start()
        run.run()
        connection.close()
        #expect(answers == Array(1...1000))
        #expect(loads.contains("cmdstat_function|load:calls=1,"))
    }

    @Test("A text that does not compile, and a function that is not there, are errors with Redis's words")
    func broken() throws {
        let redis = try TestRedis()
        let run = try LoopRun()
        let connection = RedisConnection(loop: run.loop, endpoint: .unix(path: redis.socket))
        var failures: [RedisFailure?] = []
        connection.onUp = {
            let wrong = FunctionLibrary("register('x', function( return 1 end)")
            wrong.load(on: connection) { failures.append($0) }
            wrong.call("x", keys: [], arguments: [], on: connection) { result in
                if case .failure(let failure) = result { failures.append(failure) }
            }
            FunctionLibrary(Self.source(1)).call("absent", keys: [], arguments: [], on: connection) { result in
                if case .failure(let failure) = result { failures.append(failure) }
                run.finish()
            }
        }
        connection.start()
        run.run()
        connection.close()
        #expect(failures.count == 3)
        #expect(failures[0]?.description.contains("compiling") == true)
        #expect(failures[1] == failures[0])
        #expect(failures[2] == .server("ERR Function not found"))
    }
}
