import PushCore
import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PrivacyIDEASimulator {
    /// The signed fields of a challenge.
    ///
    /// - Parameters:
    ///   - challenge: The challenge.
    ///   - token: Whose it is. It is signed with the key that the token has now.
    ///   - poll: The request that asks for it; `nil` for the push. Before 3.14 the texts are made of it:
    ///     the user is the token's, and the address and the agent are the phone's.
    /// - Returns: The fields; `nil` for a token that nobody enrolled.
    /// - Throws: `PushError` with the code `invalidArgument` if the key can't sign.
    func fields(
        of challenge: PushChallenge, _ token: PushToken, for poll: RequestFields? = nil
    ) throws(PushError) -> JSON.Object? {
        guard let keys = token.keys else { return nil }
        var texts = ChallengeSigner.Texts(
            nonce: challenge.nonce,
            url: configuration.challengeURL ?? origin + configuration.path,
            serial: token.serial, question: challenge.question, title: challenge.title,
            sslVerify: configuration.asksToVerifyTLS ? "1" : "0",
            options: challenge.options.isEmpty ? nil : challenge.options.joined(separator: ","))
        if let poll, !configuration.generation.storesTexts {
            let (user, address) = (token.user, configuration.phoneAddress)
            texts.question = rendered(configuration.question, user, address, agent: poll.agent)
            texts.title = rendered(configuration.title, user, address, agent: poll.agent)
        }
        var signer = ChallengeSigner(
            key: keys.server, fault: challenge.fault,
            hasCapabilities: configuration.generation.hasCapabilities,
            random: configuration.random)
        if case .signedWithKey(let other) = challenge.fault {
            signer.otherKey = tokens[other]?.keys?.server
        }
        return try signer.fields(texts)
    }

    /// Pushes a challenge as the gateway does; `nil` if no device gets anything.
    func push(_ fields: JSON.Object, to token: PushToken) -> SimulatedPush? {
        guard configuration.gateway != .pollOnly, !configuration.gatewayFails else { return nil }
        let body: JSON =
            configuration.gateway == .firebase
            ? .object(firebaseMessage(fields, to: token.deviceToken))
            : ["token": .string(token.deviceToken), "data": .object(fields)]
        let push = Self.deviceToken(token.deviceToken).map { deviceToken in
            SimulatedPush(to: deviceToken, payload: Self.payload(fields, for: deviceToken))
        }
        send(push, by: GatewayRequest(gateway: configuration.gateway, body: body.text))
        return push
    }

    /// What the device gets: the data of a Firebase message, or what an HTTP gateway makes of it for
    /// Apple's service.
    private static func payload(_ fields: JSON.Object, for deviceToken: DeviceToken) -> Data {
        guard case .apns = deviceToken else { return JSON.object(fields).data }
        var payload: JSON.Object = ["aps": ["alert": alert(fields)]]
        for member in fields.members { payload[member.name] = member.value }
        return JSON.object(payload).data
    }

    private static func alert(_ fields: JSON.Object) -> JSON {
        ["title": fields["title"] ?? "", "body": fields["question"] ?? ""]
    }

    /// A message of Firebase's HTTP v1 API: title and question are shown by the system, before anything
    /// is verified.
    private func firebaseMessage(_ fields: JSON.Object, to deviceToken: String) -> JSON.Object {
        let end = Int64((configuration.now.timeIntervalSince1970 + 120).rounded(.down))
        return [
            "data": .object(fields), "token": .string(deviceToken),
            "notification": Self.alert(fields),
            "android": [
                "priority": "HIGH", "ttl": "120s",
                "fcm_options": ["analytics_label": "AndroidPushToken"],
            ],
            "apns": [
                "headers": [
                    "apns-priority": "10", "apns-push-type": "alert",
                    "apns-collapse-id": "privacyidea.pushtoken",
                    "apns-expiration": .string("\(end)"),
                ],
                "payload": [
                    "aps": [
                        "alert": Self.alert(fields), "sound": "default",
                        "category": "PUSH_AUTHENTICATION",
                    ]
                ],
                "fcm_options": ["analytics_label": "iOSPushToken"],
            ],
        ]
    }
}
