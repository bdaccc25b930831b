/// One vendor, as the registry sees it.
///
/// A provider proves, the core remembers: it judges neither expiry nor replay, keeps no table of
/// challenges, and reaches the world only through its ``Environment``.
public protocol PushProvider: Sendable {
    /// The name of this instance, such as `"acme"` or `"acme/bank-b"`.
    var id: ProviderID { get }

    /// What its vendor can do that no method shows.
    var capabilities: Capabilities { get }

    /// The services whose device tokens its vendor takes, most preferred first; `[]` if the vendor
    /// sends no pushes. An enrollment gets the token of the first one that the app has a token of.
    var pushServices: [PushService] { get }

    /// Binds the device.
    var enroller: any Enroller { get }

    /// Opens and answers challenges.
    var resolver: any Resolver { get }

    /// One-time codes, if the vendor has them.
    var codes: (any CodeGenerator)? { get }

    /// What was answered before, if the vendor tells.
    var history: (any HistorySource)? { get }

    /// Messages that ask nothing, if the vendor keeps them.
    var inbox: (any Inbox)? { get }

    /// What has the shape of this provider's messages; `nil` for another's. Reads no key and no
    /// store.
    func candidate(in message: PushMessage) -> PushCandidate?
}

extension PushProvider {
    /// Nothing beyond what the methods show.
    public var capabilities: Capabilities { [] }

    /// None: its vendor sends no pushes.
    public var pushServices: [PushService] { [] }

    /// None.
    public var codes: (any CodeGenerator)? { nil }

    /// None.
    public var history: (any HistorySource)? { nil }

    /// None.
    public var inbox: (any Inbox)? { nil }
}
