/// Every limit of the message format, each with its reason. Lengths are bytes of UTF-8 after unescaping.
public enum WireLimits {
    /// Containers within containers. No message needs more than 4; GeoJSON of zones needs 8. It bounds the stack that
    /// hostile text can use.
    public static let depth = 32
    /// Members of an object that is read by its fields: the longest command has 15. What is to be found among them costs as much
    /// as there are.
    public static let members = 64
    /// Largest `id` and time: 2^53 - 1, the largest whole number that every JSON library keeps exactly (RFC 7493).
    public static let largestInteger: Int64 = 9_007_199_254_740_991
    /// `ride` and `key`: long enough for a UUID with a prefix, short enough for a Redis key.
    public static let identifierBytes = 64
    /// `channel`: a kind, a colon and an identifier, with room for a topic pattern.
    public static let channelBytes = 128
    /// `seq` of a channel: opaque, given out by the hub, never longer than two 64-bit numbers and a dash.
    public static let sequenceBytes = 64
    /// `token`: an RS256 token with generous claims has about 1 KiB.
    public static let tokenBytes = 8192
    /// `data` of a published event: a screenful of text. A channel's history may hold a thousand of them.
    public static let eventBytes = 8192
    /// `name` of who wants to be fetched: long names in scripts of three bytes a letter.
    public static let personNameBytes = 80
    /// `number` to be called at: 15 digits with a plus and spaces.
    public static let phoneNumberBytes = 32
    /// `address`: two lines for people.
    public static let addressBytes = 200
    /// Channels in one `resume`: a client has its own channel and a few subscriptions.
    public static let resumeChannels = 16
    /// Feeds (`near`, zones, vehicles, the city) of one connection: a screen with more should watch the city.
    public static let feedChannels = 16
    /// `radius` of `watch` in metres: a street's width to half a city; what is larger is a zone or the city.
    public static let watchRadius: ClosedRange<Double> = 50...5000
    /// `max_rate` in messages a second: one in 20 s to more than a tick gives.
    public static let feedRate: ClosedRange<Double> = 0.05...20
    /// `via` of an announced way: a street map's turns, not its shape.
    public static let wayPoints = 50
    /// `endpoint` of a push subscription: those of the large push services have 150 to 600.
    public static let pushEndpointBytes = 1000
    /// How much of a wrong value is quoted back in an error.
    static let quotedBytes = 40
}
