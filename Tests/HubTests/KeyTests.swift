import Foundation
import RedisLink
import Testing

@testable import Hub

/// What Redis keys are made of: a name of ours, and what others may choose.
@Suite struct KeyTests {
    /// Every place where a function makes a key or a Redis channel: what the name begins with, and what follows.
    private static let builders: [(name: String, rest: String)] = RedisLibrary.modules.flatMap { module in
        String(decoding: module.text, as: UTF8.self).split(separator: "\n").flatMap { line in
            line.matches(of: /c\.p \.\. '([^']*)'([^,)]*)/).map { (String($0.1), String($0.2)) }
        }
    }

    /// A bare name is a key of the city's own; every other begins with a name and a colon of which there is no second one.
    @Test func `C62: each kind of key has a name that no other begins with`() {
        #expect(Self.builders.count > 150)
        let own: Set = ["feed:city", "feed:ways", "push:people"]
        for (name, _) in Self.builders where !own.contains(name) {
            let colon = name.firstIndex(of: ":")
            #expect(colon == nil || colon == name.index(before: name.endIndex), "the key \(name)")
        }
    }

    /// The stream of taxis' ways had the name of the hash of minibuses' ways: whichever came first, the other failed.
    @Test func `what a worker reads without a function is written by one module only`() {
        let keys = Keys(city: "x")
        let name = "'" + keys.travelled.dropFirst(keys.prefix.count) + "'"
        let writers = RedisLibrary.modules.filter {
            String(decoding: $0.text, as: UTF8.self).contains("c.p .. " + name)
        }
        #expect(writers.map(\.name) == ["travel"])
    }

    /// `passenger:<subject>:stops` was the key of the passenger `<subject>:stops`, too. Where a kind has no key without the end
    /// (there is no `line:<id>`), or its middle is ours (a version), it can stay.
    @Test func `C62: what others choose stands at the end of a key`() {
        for (name, rest) in Self.builders where rest.contains(/\.\. '[^']*:/) {
            #expect(["line:", "catalog:"].contains(name), "the key \(name)<…>\(rest)")
        }
        #expect(!Self.builders.contains { $0.name == "line:" && !$0.rest.contains("':") })
    }
}
