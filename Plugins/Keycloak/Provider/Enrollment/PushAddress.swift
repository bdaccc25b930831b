import PushCore

/// Where the realm sends pushes of an enrollment, in its words.
struct PushAddress {
    let type: String

    /// `nil` where there is none.
    let token: String?

    init(_ deviceToken: DeviceToken?, _ configuration: KeycloakConfiguration) {
        switch (deviceToken, configuration.apnsProviderType) {
        case (.fcm(let text)?, _): (type, token) = ("fcm", text)
        case (.apns(let hex, _)?, let type?): (self.type, token) = (type, hex)
        case (.apns?, nil), (nil, _): (type, token) = ("none", nil)
        @unknown default: (type, token) = ("none", nil)
        }
    }

    /// What an enrollment tells of it.
    var claims: JSON.Object {
        var claims: JSON.Object = ["pushProviderType": .string(type)]
        if let token { claims["pushProviderId"] = .string(token) }
        return claims
    }

    /// What a change tells of it. The extension takes no empty address, so a word stands for none.
    var change: JSON {
        ["pushProviderType": .string(type), "pushProviderId": .string(token ?? "disabled")]
    }
}
