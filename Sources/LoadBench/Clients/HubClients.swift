import ClientSupport
import Wire

/// Clients on a hub.
struct HubClients {
    let urls: [String]
    let token: @Sendable (_ role: String, _ subject: String) -> String

    /// The client with that number.
    func client(_ number: Int, role: String, subject: String) -> LoadLinks.Client {
        LoadLinks.Client(
            url: urls[number % urls.count], subprotocol: "kerbside.v1.json", bearer: token(role, subject),
            hello: Self.hello, source: LoopbackSource.address(of: number, urls: urls))
    }

    static let hello = ClientMessage(id: 1, command: .session(.hello(token: nil, resume: []))).encoded()
}
