extension Settings {
    static let pushTable: [Setting] = [
        .text(
            "push.subject", \.push.subject, .contact, .atRestart,
            """
            Switches on Web Push: whoever has allowed it on a page is told of offers, answers, alerts and reminders while the \
            page is closed. It is whom a push service may turn to about what this hub sends (RFC 8292): \
            "mailto:hub@example.org", or an https URL. It is sent with each push. Empty: nobody can subscribe.
            """),
        .text(
            "push.key_file", \.push.keyFile, .path, .atRestart,
            """
            File with the private key (PEM, P-256) by which push services know this hub. Made at first start with mode 0600; \
            refused when others can read it. With another one everybody subscribes anew. Empty is push.key in the data \
            directory; hubs that serve one city need the same.
            """),
        .list(
            "push.services", \.push.services, .pushService, .atReload,
            """
            Push services that may be sent to, by the host of a subscription's endpoint: "host", "host:port" where the port is \
            not 443, or "*.domain" for all below it. Browsers name the one of their maker; nothing is ever sent elsewhere.
            """),
        .text(
            "push.ca", \.push.ca, .file, .atRestart,
            """
            PEM file of the authorities whose certificates push services may have. Empty: those that this machine trusts.
            """),
    ]

    /// Web Push.
    public struct Push: Sendable, Equatable {
        /// Who answers for what is sent; empty: nothing is.
        public var subject = ""
        /// The private key; empty is `push.key` in the data directory.
        public var keyFile = ""
        /// Hosts of endpoints.
        public var services = [
            "fcm.googleapis.com", "updates.push.services.mozilla.com", "*.push.apple.com", "*.notify.windows.com",
        ]
        /// A file of authorities; empty: those of the machine.
        public var ca = ""

        /// Whether anybody can subscribe.
        public var isOn: Bool { !subject.isEmpty }

        public init() {}
    }
}

enum PushService {
    /// A host, one with a port, or all hosts below a domain; lower case, as endpoints have it.
    static func isPlausible(_ text: String) -> Bool {
        let isWide = text.hasPrefix("*.")
        let parts = text.dropFirst(isWide ? 2 : 0).split(separator: ":", omittingEmptySubsequences: false)
        guard let host = parts.first, host.utf8.count <= 253, parts.count <= (isWide ? 1 : 2) else { return false }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        let areLabels = labels.allSatisfy { label in
            !label.isEmpty && label.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-".utf8.contains($0) }
        }
        // All of a top domain is everybody's.
        guard areLabels, labels.count >= (isWide ? 2 : 1) else { return false }
        return parts.count == 1 || (1...65_535).contains(Int(parts[1]) ?? 0)
    }

    /// `mailto:` and an address, or an https URL.
    static func isContact(_ text: String) -> Bool {
        guard text.utf8.count <= 200, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C })
        else {
            return false
        }
        if text.hasPrefix("mailto:") {
            let parts = text.dropFirst("mailto:".count).split(separator: "@", omittingEmptySubsequences: false)
            return parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
        }
        return text.hasPrefix("https://") && text.utf8.count > "https://".utf8.count
    }
}
