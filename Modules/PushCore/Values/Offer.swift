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

    /// Every host it leads to, separated by `, `, such as `am.example.com`. Safe to show; not
    /// verified.
    public let host: String?

    /// What the user must supply first: alternatives, each a set of factors needed together.
    public let asks: [[Factor]]

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
