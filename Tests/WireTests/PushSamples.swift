import Wire

extension RoundTripTests {
    static let pushSamples: [Command] = [
        .push(
            .subscribe(
                PushSubscription(
                    endpoint: "https://push.example/a?b=%20\"", keys: PushKeys(p256dh: "BA", auth: "-_=")))),
        .push(.unsubscribe(endpoint: "https://push.example/")),
    ]
}

extension SeededGenerator {
    mutating func pushCommand() -> Command {
        let endpoint = visible(upTo: 1000)
        guard Bool.random(using: &self) else { return .push(.unsubscribe(endpoint: endpoint)) }
        let keys = PushKeys(p256dh: visible(upTo: 128), auth: visible(upTo: 128))
        return .push(.subscribe(PushSubscription(endpoint: endpoint, keys: keys)))
    }
}
