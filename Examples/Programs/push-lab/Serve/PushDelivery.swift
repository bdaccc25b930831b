import PushTesting

/// Who takes the pushes that the console lets through.
protocol PushDelivery: Sendable {
    /// - Returns: What became of it.
    func send(_ push: SimulatedPush) async -> PushFate
}

extension PushSender: PushDelivery {}

/// What became of a push.
struct PushFate: Hashable, Sendable {
    /// Why nobody took a push.
    enum Reason: String, CaseIterable, Sendable {
        /// The device has none, so that there was nothing to send.
        case noDeviceToken = "no-device-token"
        /// The console was started without one.
        case noPushService = "no-push-service"
        /// The push service's credentials aren't there, or can't be read.
        case noCredentials = "no-credentials"
        /// Nothing answers where the push service should be.
        case unreachable
        /// The push service can't take it just now, and said so each time.
        case unavailable
        /// The push service said no.
        case refused
        /// It was to be lost.
        case lost
        /// It is of no kind that is known here, or something else went wrong.
        case failed

        /// What may help.
        var advice: String {
            switch self {
            case .noDeviceToken:
                "Start pushauth listen, which makes a token, or pushauth token set; then refresh."
            case .noPushService: "Start push-lab serve with --push DIRECTORY."
            case .noCredentials: "Start pushauth listen with --credentials of the same directory."
            case .unreachable: "Start pushauth listen: nobody listens now."
            case .unavailable:
                "The listener can't put it on record now: its store or the vendor doesn't answer it. "
                    + "See what pushauth listen says, then send it again."
            case .refused: "The token is another's, or the credentials are old: enroll again."
            case .lost: "A button asked for it."
            case .failed: ""
            }
        }
    }

    /// `nil` if it was taken.
    let reason: Reason?

    /// The same in a few words.
    let words: String

    static func taken(_ words: String) -> PushFate { PushFate(reason: nil, words: words) }

    static func untaken(_ reason: Reason, _ words: String) -> PushFate {
        PushFate(reason: reason, words: words)
    }

    /// What became of several copies: it was taken if one was.
    init(of copies: [PushFate], because suffix: String) {
        let isTaken = copies.contains { $0.reason == nil }
        reason = isTaken ? nil : copies.first?.reason
        words = copies.map(\.words).joined(separator: "; ") + suffix
    }

    private init(reason: Reason?, words: String) {
        self.reason = reason
        self.words = words
    }
}
