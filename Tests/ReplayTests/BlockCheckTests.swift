import Testing
import Wire

@testable import Replay

/// What the checker of the log says of who is blocked or paused, and what a replay's office does.
@Suite struct BlockCheckTests {
    private static let joined = ("queue.joined", #"{"driver":"A","zone":"1","score":1,"reason":"available"}"#)
    private static let left = ("queue.left", #"{"driver":"A","zone":"1","reason":"operator"}"#)

    private static func block(until: String = "") -> (String, String) {
        (
            "audit",
            #"{"id":"1","operator":"O","command":"office.block","target":"driver:A","before":{},"after":{"blocked":true\#(until)}}"#
        )
    }

    private static let unblocked = (
        "audit",
        #"{"id":"2","operator":"O","command":"office.unblock","target":"driver:A","before":{},"after":{"blocked":false}}"#
    )

    private func found(_ events: [(String, String)]) -> [String] {
        var checker = LogChecker.taken(events)
        checker.settle()
        return checker.violations.filter { $0.rule == .blocked }.map(\.message)
    }

    @Test("R12: who is blocked in its queue, or comes into one, is found")
    func blocked() {
        #expect(found([Self.joined, Self.block()]).count == 1)
        #expect(found([Self.joined, Self.left, Self.block(), Self.joined]).count == 1)
        #expect(found([Self.block(until: #","until":2"#), Self.joined]).count == 1)
    }

    @Test("R12: a block that is over, or was taken back, keeps nobody out")
    func over() {
        #expect(found([Self.block(until: #","until":1"#), Self.joined]) == [])
        #expect(found([Self.joined, Self.left, Self.block(), Self.unblocked, Self.joined]) == [])
    }

    @Test("R12: who is paused for what it did stands in no queue, and asks for no taxi but the one that was reserved")
    func paused() {
        let driver = ("reliability.paused", #"{"driver":"A","kind":"given_back","total":3,"paused_until":9}"#)
        #expect(found([driver, Self.joined]).count == 1)
        let passenger = ("reliability.paused", #"{"passenger":"p","kind":"noshow","total":3,"paused_until":9}"#)
        func request(_ more: String) -> (String, String) {
            ("ride.requested", #"{"ride":"r","passenger":"p","zone":"1","passengers":1\#(more)}"#)
        }
        #expect(found([passenger, request("")]).count == 1)
        #expect(found([passenger, request(#","reservation":"v""#)]) == [])
    }

    @Test("A replay's office blocks somebody of its drivers, for as long as it says, and stops when the run is over")
    func office() {
        var behaviour = BehaviourModel.smooth
        behaviour.blocksPerHour = 3_600
        var office = OfficeMachine(drivers: ["A"], behaviour: behaviour, keyPrefix: "k", seed: 1)
        var out: [ClientAction] = []
        let begin = Moment(realMs: 0, hubMs: 1_000_000, speed: 1)
        office.begin(begin)
        office.wake(begin, &out)
        let later = Moment(realMs: 60_000, hubMs: 1_060_000, speed: 1)
        office.wake(later, &out)
        #expect(office.session.isPending { $0.name == "office.block" })
        office.calmDown()
        #expect(office.dueMs(later) < .max)
        office.session.forget { _ in true }
        office.wake(Moment(realMs: 120_000, hubMs: 1_120_000, speed: 1), &out)
        #expect(!office.session.hasPending)
    }
}
