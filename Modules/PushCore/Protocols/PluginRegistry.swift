/// The providers that an app has linked, most preferred first.
public struct PluginRegistry: Sendable {
    private let providers: [any PushProvider]

    /// Creates a registry, unless two providers share an identifier.
    ///
    /// - Throws: ``PushError`` with the code `duplicateProvider`.
    public init(_ providers: [any PushProvider]) throws(PushError) {
        var taken: Set<ProviderID> = []
        for provider in providers where !taken.insert(provider.id).inserted {
            throw PushError(.duplicateProvider, "Registered twice.", provider: provider.id)
        }
        self.providers = providers
    }

    /// The identifiers of its providers, most preferred first.
    public var ids: [ProviderID] { providers.map(\.id) }

    /// A provider by its identifier.
    public subscript(id: ProviderID) -> (any PushProvider)? {
        providers.first { $0.id == id }
    }

    /// Whether a provider knows a message's form.
    func knows(_ message: PushMessage) -> Bool {
        providers.contains { $0.candidate(in: message) != nil }
    }

    /// Asks each provider that recognizes a message to verify it.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - environment: Where the providers' accounts are.
    /// - Returns: The first verified event, or else all hints; `[]` if the message is the app's
    ///   own.
    /// - Throws: The first refusal, if no provider had an event or a hint: mostly ``PushError``
    ///   `untrusted`, `malformed`, `unknownEnrollment` or `storage`.
    public func events(
        from message: PushMessage, in environment: PushEnvironment
    ) async throws(PushError) -> [PushEvent] {
        try await verified(message, in: environment).events
    }

    /// The same, and the documents that the providers looked at.
    func verified(
        _ message: PushMessage, in environment: PushEnvironment
    ) async throws(PushError) -> (events: [PushEvent], hands: [Enrollment.ID: DocumentInHand]) {
        var hints: [PushEvent] = []
        var seen: [Enrollment.ID: DocumentInHand] = [:]
        var refusal: PushError?
        for provider in providers {
            guard let candidate = provider.candidate(in: message) else { continue }
            do throws(PushError) {
                let (verified, hands) = await LentDocuments.lending(environment.documents) {
                    await Result { () async throws(PushError) in
                        try await candidate.verified(with: environment.accounts(for: provider.id))
                    }
                }
                let event = try verified.get()
                try event.requireOrigin(provider.id)
                guard case .hint = event else { return ([event], hands) }
                hints.append(event)
                seen.merge(hands) { $1 }
            } catch {
                refusal = refusal ?? error.attributed(to: provider.id)
            }
        }
        if hints.isEmpty, let refusal { throw refusal }
        return (hints, seen)
    }

    /// Asks each provider what an invitation would join.
    ///
    /// - Returns: All offers, most preferred provider first; `[]` if no provider knows the
    ///   invitation. If one recognizes it as its vendor's, generic offers
    ///   (``Invitation/Offer/isGeneric``) are left out.
    /// - Throws: ``PushError`` with the code `invalidInvitation`, the first refusal, if a provider
    ///   knows the invitation but none makes an offer.
    public func offers(for invitation: Invitation) throws(PushError) -> [Invitation.Offer] {
        var offers: [Invitation.Offer] = []
        var refusal: PushError?
        for provider in providers {
            do throws(PushError) {
                if let offer = try provider.enroller.offer(invitation) { offers.append(offer) }
            } catch {
                refusal = refusal ?? error.attributed(to: provider.id)
            }
        }
        if offers.isEmpty, let refusal { throw refusal }
        let own = offers.filter { !$0.isGeneric }
        return own.isEmpty ? offers : own
    }
}
