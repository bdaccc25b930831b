import PushCore
import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A message as it is sent: what people see, and what the app reads.
struct PushExtras {
    /// `nil` for a silent one.
    let alert: (title: String, body: String)?
    let extras: JSON.Object

    func push(
        to token: DeviceToken, shape: PowerAuthSimulator.FirebaseShape
    ) -> SimulatedPush {
        let payload =
            if case .apns = token { beside } else { firebase(shape) }
        return SimulatedPush(to: token, payload: JSON.object(payload).data)
    }

    private var aps: JSON.Object {
        guard let alert else { return ["content-available": 1] }
        return [
            "alert": ["title": .string(alert.title), "body": .string(alert.body)],
            "sound": "default",
        ]
    }

    private var beside: JSON.Object {
        JSON.Object([("aps", .object(aps))] + extras.members.map { ($0.name, $0.value) })
    }

    /// Firebase's map takes nothing but strings.
    private var data: [(String, JSON)] {
        extras.members.map { ($0.name, .string($0.value.string ?? $0.value.text)) }
    }

    private func firebase(_ shape: PowerAuthSimulator.FirebaseShape) -> JSON.Object {
        switch shape {
        case .data: return JSON.Object(data)
        case .dataOnly:
            guard let alert else { return JSON.Object(data) }
            let shown: JSON = ["title": .string(alert.title), "body": .string(alert.body)]
            return JSON.Object(data + [("_notification", .string(shown.text))])
        case .appleTwice: return JSON.Object([("aps", apsWithData)] + data)
        case .appleInside: return ["aps": apsWithData]
        }
    }

    private var apsWithData: JSON {
        .object(JSON.Object(aps.members.map { ($0.name, $0.value) } + data))
    }
}

extension PowerAuthSimulator {
    /// Sends to an activation that has registered.
    func send(_ message: PushExtras, to id: String) {
        guard let token = activations[id]?.registration?.token else { return }
        shell.send([message.push(to: token, shape: configuration.firebase)])
    }

    /// Tells a device that its activation's state has changed.
    func announceStatus(of id: String) {
        let extras: JSON.Object = [
            "messageType": "mtoken.statusChange", "activationId": .string(id),
        ]
        send(PushExtras(alert: nil, extras: extras), to: id)
    }

    /// Answers the push server's part: the token says whose device it is.
    func register(_ incoming: IncomingCall) throws(Refusal) -> ServerReply {
        let activation = try bearer(incoming)
        guard let object = incoming.object, let name = object["platform"]?.string,
            let token = object["token"]?.string, !token.isEmpty,
            let platform = configuration.platforms.platform(name)
        else { throw .invalidRequest }
        let environment = object["environment"]?.string
        if let environment, !["development", "production"].contains(environment) {
            throw .invalidRequest
        }
        guard platform == .apple else {
            activations[activation.id]?.registration = PushRegistration(
                platform: name, environment: environment, token: .fcm(token))
            return .done
        }
        // Apple's device tokens are of 32 bytes.
        let isHex = token.utf8.allSatisfy { Hexadecimal.value(of: $0) != nil }
        guard isHex, token.utf8.count == 64 else { throw .registration }
        let isSandbox =
            environment.map { $0 == "development" } ?? configuration.isSandboxByDefault
        activations[activation.id]?.registration = PushRegistration(
            platform: name, environment: environment,
            token: .apns(hex: token, isSandbox: isSandbox))
        return .done
    }
}

/// Who delivers; Huawei's service is out of this simulator's scope.
private enum PushPlatform { case apple, google }

extension PowerAuthSimulator.PlatformNames {
    fileprivate func platform(_ name: String) -> PushPlatform? {
        let isNew = self != .before110
        let isOld = self != .newOnly
        switch name {
        case "apns" where isNew, "ios" where isOld: return .apple
        case "fcm" where isNew, "android" where isOld: return .google
        default: return nil
        }
    }
}

extension PowerAuthSimulator {
    /// The names of push platforms that a release of the server takes.
    @nonexhaustive
    public enum PlatformNames: Hashable, Sendable {
        /// Before 1.10: `ios`, `android` and `huawei`.
        case before110
        /// From 1.10: `apns`, `fcm` and `hms`, and still the older ones.
        case current
        /// The newer names only. Whether servers 2.x are so is UNCONFIRMED.
        case newOnly
    }

    /// How a message for a Firebase token looks to the app.
    @nonexhaustive
    public enum FirebaseShape: Hashable, Sendable {
        /// To an Android app: the map `data`, all values strings.
        case data
        /// The same with the visible notification inside, as JSON text under `_notification`.
        case dataOnly
        /// To an iOS app that registered with Firebase: all extras beside `aps`, and in it.
        case appleTwice
        /// To such an app, all extras in `aps` only.
        case appleInside
    }
}
