/// The device token that an enrollment's vendor should have.
enum DesiredDeviceToken: Hashable {
    /// The app has said nothing of it.
    case unsaid
    /// This token; `nil` if it was taken away.
    case token(DeviceToken?)

    /// The token, if there is one.
    var token: DeviceToken? {
        if case .token(let token) = self { token } else { nil }
    }
}

extension Enrollment {
    /// Whether the vendor certainly has what is wanted, and no other token.
    func has(_ desired: DesiredDeviceToken) -> Bool {
        switch desired {
        case .unsaid: true
        case .token(let token): deviceToken == token && !isTokenDoubtful
        }
    }
}

/// The newest token that the app gave of each push service.
struct KnownDeviceTokens: Sendable {
    private var known: [PushService: DeviceToken?] = [:]

    /// Learns what the app said of a service last.
    mutating func set(_ token: DeviceToken?, of service: PushService) {
        known[service] = .some(token)
    }

    /// The token for a provider: of the first service it takes that the app has a token of.
    func desired(by services: [PushService]) -> DesiredDeviceToken {
        let said = services.compactMap { known[$0] }
        guard !said.isEmpty else { return .unsaid }
        return .token(said.lazy.compactMap(\.self).first)
    }
}
