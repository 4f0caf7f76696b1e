import ArgumentParser
import Settings
import Tokens

struct Demo: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Keeps a city of its own making alive, and prints an address at which to look at it and take part.",
        discussion: """
            Needs a hub that runs on this machine alone (tools/run). The address signs this browser in as an operator, a driver and a \
            passenger, once; the pages are the control room, the driver's and the passenger's. Ends with Ctrl-C.
            """)

    @OptionGroup var options: ConfigOptions

    @Option(help: "Drivers of the city.")
    var drivers = 40

    @Option(help: "Ride requests a second in the busiest hour.")
    var requests = 0.2

    @Option(name: .customLong("for"), help: "How long the city lives: a number with s, m or h.")
    var length = "8h"

    func run() throws {
        let settings = try options.settings()
        guard settings.isLoopback else {
            throw CommandFailure(
                "\(settings.server.host) is reached from elsewhere, and a demo signs in whoever opens its address: set server.host "
                    + "to 127.0.0.1, or make a link for each person with kerbside invite")
        }
        let people = [("operator", "demo-operator"), ("driver", "demo-taxi"), ("passenger", "demo-passenger")]
        let links = try people.map { role, subject in
            let person = try TokenPerson.parse(["--role", role, "--subject", subject])
            return try InvitationLink(person.claims(settings, for: "1h"), settings, address: nil)
        }
        Terminal.line(InvitationLink.joined(links))
        let city = ["--for", length, "--drivers", "\(drivers)", "--requests", "\(requests)"]
        try Simulate.parse(options.arguments + city).run()
    }
}
