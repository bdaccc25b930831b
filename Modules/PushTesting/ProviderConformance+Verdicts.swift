import PushCore

extension ProviderConformance {
    /// What a provider makes of one message.
    enum Verdict {
        case unrecognized
        case refused(PushError)
        case event(PushEvent)
    }

    /// What an event tells, apart from how it will be answered.
    enum Meaning: Hashable {
        case notice(Notice)
        case withdrawal(Withdrawal)
        case incompatible(Incompatible)
        /// A hint proves nothing, so one is as good as another.
        case hint
        case unknown

        init(_ event: PushEvent) {
            switch event {
            case .notice(let announcement): self = .notice(announcement.notice)
            case .withdrawal(let withdrawal): self = .withdrawal(withdrawal)
            case .incompatible(let incompatible): self = .incompatible(incompatible)
            case .hint: self = .hint
            @unknown default: self = .unknown
            }
        }
    }

    func verdict(on message: PushMessage) async -> Verdict {
        guard let candidate = provider.candidate(in: message) else { return .unrecognized }
        do throws(PushError) {
            return .event(try await candidate.verified())
        } catch {
            return .refused(error)
        }
    }

    /// What a message tells; `nil` if the provider doesn't recognize or trust it.
    func meaning(of message: PushMessage) async -> Meaning? {
        guard case .event(let event) = await verdict(on: message) else { return nil }
        return Meaning(event)
    }

    static func mutations(
        of message: PushMessage
    ) -> [(summary: String, message: PushMessage)] {
        guard case .string(let text) = message.content else {
            return JSONMutation.all(of: message.content).compactMap(message.replaced)
        }
        let others = [("the text doubled", text + text), ("no text", "")]
        let flips = JSONMutation.flips(of: text)
            .map { ("the text changed at character \($0.position)", $0.text) }
        return (others + flips).map { ($0, PushMessage(text: $1, by: message.channel)) }
    }

    static func swaps(
        of message: PushMessage, with other: PushMessage
    ) -> [(summary: String, message: PushMessage)] {
        JSONMutation.swaps(of: message.content, with: other.content).compactMap(message.replaced)
    }
}

extension PushMessage {
    /// A push with other content; `nil` if the content can't be a push's.
    fileprivate func replaced(
        _ mutation: JSONMutation
    ) -> (summary: String, message: PushMessage)? {
        let limits = JSON.Limits(bytes: 1 << 20)
        guard let message = try? PushMessage(json: mutation.value.data, limits: limits) else {
            return nil
        }
        return (mutation.summary, message)
    }
}
