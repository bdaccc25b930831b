/// What the user scans, types or enters to enroll. It holds secrets, and is never printed.
@nonexhaustive
public enum Invitation: Sendable {
    /// The text of a QR code or a link.
    case scanned(Secret)
    /// A code from a screen or a letter.
    case typed(Secret)
    /// A user name and password.
    case credentials(user: String, password: Secret)

    /// An invitation from the text of a QR code or a link.
    public static func scanned(text: String) -> Invitation {
        .scanned(Secret(copying: text))
    }

    /// The text of a QR code or a link; `nil` for another kind.
    public var scannedText: String? {
        guard case .scanned(let secret) = self else { return nil }
        return secret.copiedText()
    }

    /// An invitation from a code that the user typed.
    public static func typed(text: String) -> Invitation {
        .typed(Secret(copying: text))
    }
}

extension Invitation {
    /// What an invitation offers to join. Show it for the user's consent: nothing has been sent
    /// yet.
    public struct Offer: Sendable {
        /// The provider that made it.
        public let provider: ProviderID

        /// The invitation it was made from.
        public let invitation: Invitation

        /// Who asks, such as a bank. Safe to show; not verified.
        public let issuer: String?

        /// For whom. Safe to show; not verified.
        public let account: String?

        /// All hosts that it leads to, separated by `, `, such as `am.example.com`, each as
        /// ``Endpoint/hostWithPort``. Safe to show; not verified.
        public let host: String?

        /// Who asks, for whom and where, in one line: what must be on the screen before a yes.
        public var shown: String {
            [issuer, account, host].compactMap(\.self).joined(separator: ", ")
        }

        /// What the user must supply first: alternatives, each a set of factors needed together.
        public let asks: [[Factor]]

        /// Whether many makers share the invitation's form, such as one-time codes alone, and
        /// nothing in it names this vendor.
        ///
        /// If another provider recognizes the invitation as its vendor's, this offer is left out
        /// (``PluginRegistry/offers(for:)``).
        public var isGeneric = false

        /// The resulting enrollment, if the invitation names it; `nil` if only the vendor's reply
        /// does.
        ///
        /// An existing enrollment of this name is replaced. The core then enrolls in its turn: the
        /// old one's exchange under way ends first, and the next one finds the new enrollment.
        /// Replace both halves by ``Account/replace(_:_:)`` after the vendor's word; until then the
        /// old ones are whole.
        public var enrollment: Enrollment.ID?

        /// Until when it may be accepted, by the monotonic clock (``PushClock/elapsed``); `nil` if
        /// the invitation sets no time after its scan.
        ///
        /// The core refuses to enroll later.
        public var deadline: Duration?

        /// Creates an offer; its texts are made safe to show.
        public init(
            provider: ProviderID, invitation: Invitation, issuer: String? = nil,
            account: String? = nil, host: String? = nil, asks: [[Factor]] = []
        ) {
            self.provider = provider
            self.invitation = invitation
            self.issuer = DisplayText.sanitized(issuer, .title)
            self.account = DisplayText.sanitized(account, .title)
            self.host = DisplayText.sanitized(host, .title)
            self.asks = asks
        }
    }
}
