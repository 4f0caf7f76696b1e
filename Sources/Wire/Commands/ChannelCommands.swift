/// What a client reads. Channels are 1–128 visible ASCII characters, `seq` 1–64.
public enum ChannelCommand: CommandGroup {
    /// `since`: the `seq` seen last, for channels that have a history.
    case subscribe(channel: String, options: FeedOptions, since: String?)
    case unsubscribe(channel: String)
    /// The vehicles around a place, −90…90 and −180…180 degrees: `radius` 50…5000 m. Sent again it moves the circle.
    case watch(lat: Double, lon: Double, radius: Double, options: FeedOptions)
    case unwatch

    static let kinds: [CommandKind<ChannelCommand>] = [
        CommandKind(
            "subscribe", Role.allCases, .channel, overHTTP: [], forGuests: true, Field.required("channel", .channel),
            FeedOptions.fields,
            Field.optional(
                "since",
                TextKind(.visible, upTo: WireLimits.sequenceBytes, "the last seq of the channel, a string")),
            make: ChannelCommand.subscribe,
            take: {
                guard case .subscribe(let channel, let options, let since) = $0 else { return nil }
                return (channel, options, since)
            }),
        CommandKind(
            "unsubscribe", Role.allCases, .channel, overHTTP: [], forGuests: true, Field.required("channel", .channel),
            make: ChannelCommand.unsubscribe,
            take: { if case .unsubscribe(let channel) = $0 { channel } else { nil } }),
        CommandKind(
            "watch", [.passenger, .operator, .service], .city, overHTTP: [], forGuests: true,
            Field.required("lat", .latitude),
            Field.required("lon", .longitude),
            Field.required("radius", NumberKind(WireLimits.watchRadius, "metres, 50 to 5000")), FeedOptions.fields,
            Field.optional("destination", .place),
            make: { lat, lon, radius, options, destination in
                var options = options
                options.destination = destination
                return .watch(lat: lat, lon: lon, radius: radius, options: options)
            },
            take: {
                guard case .watch(let lat, let lon, let radius, let options) = $0 else { return nil }
                return (lat, lon, radius, options, options.destination)
            }),
        CommandKind("unwatch", Role.allCases, .connection, forGuests: true, .unwatch),
    ]
}

extension FieldKind where Self == TextKind {
    static var channel: TextKind {
        TextKind(.visible, upTo: WireLimits.channelBytes, "a channel, 1 to 128 visible ASCII characters")
    }
}
