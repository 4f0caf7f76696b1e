import ArgumentParser
import Hub
import QRCode
import Settings
import Tokens
import Wire

struct Invite: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes a link by which a person signs in on a device, once.",
        discussion: """
            Who opens the link signs in with the role, on that device, and stays signed in for as long as tokens.sign_in_s says. \
            Until it is used the link is as good as a key: give it to that person alone.
            """)

    @OptionGroup var options: ConfigOptions
    @OptionGroup var person: TokenPerson

    @Option(
        name: .customLong("for"),
        help:
            "How long the link is good: a number with s, m, h or d; at most tokens.max_life_s. 24h unless given, or that."
    )
    var duration: String?

    @Option(
        help: "Where people reach the hub, as https://taxi.example; drivers.public_url without it, or this machine.")
    var address: String?

    @Flag(help: "Print the link as a code for a phone's camera (SVG), in place of the text.")
    var qr = false

    func validate() throws {
        try person.check()
        guard person.role != "service" else {
            throw ValidationError("--role service: a service is a program; sign its token with kerbside token")
        }
        if let duration { try TokenPerson.check(duration: duration) }
    }

    func run() throws {
        let settings = try options.settings()
        let duration = duration ?? "\(min(86_400, settings.tokens.maxLifeS))s"
        let link = try InvitationLink(person.claims(settings, for: duration), settings, address: address)
        guard qr else { return Terminal.result(link.text + "\n") }
        guard let picture = QRCode(link.text) else { throw CommandFailure("the link is too long for a code") }
        Terminal.result(picture.svg(title: "\(person.role) \(person.subject)"))
    }
}

/// The address that somebody who is invited opens. What is behind the `#` never leaves the browser but to be accepted.
struct InvitationLink {
    let text: String

    /// One address for several invitations, all accepted together.
    static func joined(_ links: [InvitationLink]) -> String {
        let invitations = links.map { $0.text.split(separator: "#", maxSplits: 1)[1] }
        return links[0].text.split(separator: "#")[0] + "#" + invitations.joined(separator: ",")
    }

    /// `address`: where people reach the hub; nil: as the settings say.
    init(_ claims: TokenClaims, _ settings: Settings, address: String?) throws {
        let known = settings.drivers.publicURL
        let base = address ?? (known.isEmpty ? HubAddress.page(settings) : known)
        guard base.hasPrefix("https://") || base.hasPrefix("http://") else {
            throw CommandFailure("--address \(base): expected https://host or http://host")
        }
        let invitation = try TokenIssuer(settings).invite(claims, id: RandomID.sign())
        text = (base.hasSuffix("/") ? String(base.dropLast()) : base) + "/join/#" + invitation
    }
}
