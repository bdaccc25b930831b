/// What the user scans, types or enters to enroll. It holds secrets, so it is never printed.
@nonexhaustive
public enum Invitation: Sendable {
    /// The text of a QR code or a link.
    case scanned(Secret)
    /// A code read from a screen or a letter.
    case typed(Secret)
    /// A user name and password.
    case credentials(user: String, password: Secret)

    /// An invitation from the text of a QR code or a link.
    public static func scanned(text: String) -> Invitation {
        .scanned(Secret(copying: text))
    }

    /// The text of a QR code or a link; `nil` for what came another way.
    public var scannedText: String? {
        guard case .scanned(let secret) = self else { return nil }
        return secret.copiedText()
    }

    /// An invitation from a code that the user typed.
    public static func typed(text: String) -> Invitation {
        .typed(Secret(copying: text))
    }
}

/// What an invitation would join. Show it for the user's consent: nothing has been sent yet.
public struct Offer: Sendable {
    /// The provider that made it.
    public let provider: ProviderID

    /// The invitation it was made from.
    public let invitation: Invitation

    /// Who asks, such as a bank. Safe to show; not verified.
    public let issuer: String?

    /// For whom. Safe to show; not verified.
    public let account: String?

    /// Every host it leads to, separated by `, `, such as `am.example.com`, with its port unless that
    /// is the scheme's own (``Endpoint/hostWithPort``). Safe to show; not verified.
    public let host: String?

    /// What the user must supply first: alternatives, each a set of factors needed together.
    public let asks: [[Factor]]

    /// Whether nothing in the invitation says that it's this vendor's: it has a form that many makers
    /// share, such as one-time codes alone.
    ///
    /// Where a provider knows the invitation for its own vendor's, such an offer isn't made
    /// (``PluginRegistry/offers(for:)``).
    public var isGeneric = false

    /// The enrollment that it would make, where the invitation says which; `nil` where only the
    /// vendor's reply does.
    ///
    /// If there is one of this name, it would be replaced. The core then enrolls in its turn: what is
    /// under way of the old one ends first, and what comes next finds the new one. The record is
    /// replaced by ``Vault/update(_:_:)``, after the vendor's word, and until then the old one is whole.
    public var enrollment: Enrollment.ID?

    /// Until when it may be accepted, by the monotonic clock (``PushClock/elapsed``), where the
    /// invitation says for how long after its scan; `nil` where it doesn't.
    ///
    /// The core refuses to enroll after it.
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
