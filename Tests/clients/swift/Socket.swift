import Foundation
import KerbsideClient
import KerbsideClientOpenSSL

/// Prints what a link tells, a line of JSON each: `opened`, `heard`, {"message": …}, {"closed": [code, reason]}. A number on the
/// input closes it with that code, anything else is sent.
func tellOfSocket(_ address: String, authorities: String?) throws {
    let transport = authorities.map { openSSLSocket(trusting: URL(fileURLWithPath: $0)) } ?? openSSLSocket
    guard let url = URL(string: address) else { throw Misuse(reason: "no address: \(address)") }
    let tell: @Sendable (JSON) -> Void = { FileHandle.standardOutput.write(Data(($0.text + "\n").utf8)) }
    let events = LinkEvents(
        opened: { tell("opened") }, heard: { tell("heard") }, message: { tell(["message": .string($0)]) },
        closed: { tell(["closed": [.int($0), .string($1)]]) })
    let link = try transport(url, events)
    while let line = readLine() {
        if let code = Int(line) { link.close(code) } else { link.send(line) }
    }
}
