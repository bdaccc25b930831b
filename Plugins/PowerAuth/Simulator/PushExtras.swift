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
        send([message.push(to: token, shape: configuration.firebase)])
    }

    /// Tells a device that its activation's state has changed.
    func announceStatus(of id: String) {
        let extras: JSON.Object = [
            "messageType": "mtoken.statusChange", "activationId": .string(id),
        ]
        send(PushExtras(alert: nil, extras: extras), to: id)
    }
}
