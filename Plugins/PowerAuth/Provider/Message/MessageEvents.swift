import PushCore

/// What a message is by its shape alone; nothing of it is proved.
enum MessageForm {
    case push(PowerAuthPushMessage)
    case proximity(ProximityLink)
    case offline(OfflineCode)

    /// `nil` if it isn't this provider's.
    init?(_ message: PushMessage) {
        switch message.channel {
        case .push:
            guard let push = PowerAuthPushMessage(message) else { return nil }
            self = .push(push)
        case .scanned, .link:
            guard let text = message.content.string else { return nil }
            if message.channel == .scanned, let code = OfflineCode(text) {
                self = .offline(code)
            } else if let link = ProximityLink(
                text, type: message.channel == .link ? .deeplink : .qrCode)
            {
                self = .proximity(link)
            } else {
                return nil
            }
        case .relayed: return nil
        }
    }
}

extension Activations {
    /// Verifies what a message has.
    func event(
        from form: MessageForm, in accounts: Accounts
    ) async throws(PushError) -> PushEvent {
        switch form {
        case .push(let push): return .hint(try await hint(push, accounts))
        case .proximity(let link):
            let received = ReceivedProximityCode(link, at: environment.clock.elapsed)
            let targets = try await channel.usable(in: accounts)
            return .hint(PushEvent.Hint(.challenges, at: targets, context: received.context))
        case .offline(let code): return try await offline.event(of: code, in: accounts)
        }
    }

    private func hint(
        _ push: PowerAuthPushMessage, _ accounts: Accounts
    ) async throws(PushError) -> PushEvent.Hint {
        var targets: Set<Enrollment.ID>
        if let name = push.activationId {
            let named = Enrollment.ID(name, of: channel.provider)
            guard try await accounts.account(named) != nil else {
                throw PushError(.unknownEnrollment, "The activation isn't on this device.")
            }
            targets = [named]
        } else {
            // A stranger can send any number of pushes that name no activation.
            targets = try await channel.recentlyUsable(in: accounts)
        }
        let topic: PushEvent.Hint.Topic
        switch push.messageType {
        case .operationInit: topic = .challenges
        case .operationFinished where push.mtokenOperationResult == .operationMethodNotAvailable:
            return .methodNotAvailable(at: targets)
        case .operationFinished: topic = .finished(push.operationId ?? "")
        case .inboxMessageNew: topic = .inbox
        case .statusChange: topic = .enrollment
        }
        return PushEvent.Hint(topic, at: targets)
    }
}

extension Enrollment {
    /// Whether the server may still know it.
    var isUsable: Bool { state != .needsReenrollment }
}

extension PushEvent.Hint {
    private static let question = "activation"

    /// The mobile token was taken away from the user: the activation is asked about as well as the
    /// list, which no longer has the operation then.
    fileprivate static func methodNotAvailable(at enrollments: Set<Enrollment.ID>) -> PushEvent.Hint
    {
        let context = Secret.Record(fields: ["form": .string(question)]).sealed
        return PushEvent.Hint(.challenges, at: enrollments, context: context)
    }

    /// Whether the state of the activation is asked for, too.
    var asksForActivation: Bool {
        guard let context, let record = try? Secret.Record(reading: context) else { return false }
        return record.fields["form"]?.string == Self.question
    }
}

extension String {
    /// Whether it has the form of a UUID (RFC 9562 section 4), in either case: operations are named
    /// so wherever nobody vouches for the name.
    var hasUUIDForm: Bool {
        let parts = utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return parts.map(\.count) == [8, 4, 4, 4, 12]
            && parts.joined().allSatisfy { Hexadecimal.value(of: $0) != nil }
    }
}
