/// What a client is.
public enum Role: String, CaseIterable, Sendable {
    case driver
    case passenger
    case busDriver = "bus_driver"
    case `operator`
    case service
}
