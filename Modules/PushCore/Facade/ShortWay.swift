/// The short way, for an app that has one environment and asks at once what a push announces.
extension PushAuthenticator {
    /// Creates an authenticator and, in the same environment, its plugins.
    ///
    /// - Parameters:
    ///   - environment: Network, store, clock and the like.
    ///   - configuration: How it delivers, remembers and warns.
    ///   - plugins: Makes the providers that the app links, most preferred first.
    /// - Throws: ``PushError`` with the code `duplicateProvider` if two providers share an
    ///   identifier, and what `plugins` throws.
    public init(
        in environment: PushEnvironment, configuration: PushConfiguration = PushConfiguration(),
        plugins: (PushEnvironment) throws(PushError) -> [any PushProvider]
    ) throws(PushError) {
        self.init(
            try PluginRegistry(try plugins(environment)), in: environment,
            configuration: configuration)
    }

    /// Takes a message as ``receive(_:)`` does, and opens the challenges that are new in it.
    ///
    /// It returns no challenge twice: one that was announced before isn't in it, though it may
    /// still wait (``unfinishedRecords(of:)``), nor is one that couldn't be opened while another
    /// could. Nothing tells of what else the message says, such as that a challenge is over.
    ///
    /// - Returns: The new challenges; `[]` if nothing is new, or the message is the app's own.
    /// - Throws: What ``receive(_:)`` throws; if no new challenge can be opened, what
    ///   ``challenge(_:)`` throws for the first. It stays on record and can be opened later.
    public func challenges(in message: PushMessage) async throws(PushError) -> [Challenge] {
        var opened: [Challenge] = []
        var refusal: PushError?
        for reception in try await receive(message) where reception.isNew {
            guard case .notice(let notice, _) = reception.kind else { continue }
            do throws(PushError) {
                opened.append(try await challenge(notice.id))
            } catch {
                refusal = refusal ?? error
            }
        }
        if opened.isEmpty, let refusal { throw refusal }
        return opened
    }
}
