import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A command's push as APNs and FCM carry it.
///
/// The keys are this project's own, and deliberately unlike any of OneSpan's, which aren't
/// published.
struct PushPayload {
    let configuration: OneSpanSimulator.Configuration
    let order: Order
    let command: [UInt8]

    private var title: String {
        order.title
            ?? (order.isTransaction ? configuration.transactionTitle : configuration.loginTitle)
    }

    private var subject: String {
        order.subject
            ?? (order.isTransaction
                ? configuration.transactionSubject : configuration.loginSubject)
    }

    private var content: JSON {
        var content: JSON.Object = ["v": 1, "content": .string(command.hex)]
        content["title"] = .string(title)
        content["subject"] = .string(subject)
        let attributes = configuration.pushAttributes.sorted { $0.key < $1.key }
        if !attributes.isEmpty {
            content["attributes"] = .object(
                JSON.Object(attributes.map { ($0.key, JSON.string($0.value)) }))
        }
        switch order.fault {
        case .version(let version): content["v"] = .number(JSON.Number(Int64(version)))
        case .withoutContent: content["content"] = nil
        case .notHexadecimal: content["content"] = .string("G" + command.hex.dropFirst())
        default: break
        }
        return .object(content)
    }

    /// The payload: an APNs payload, or a Firebase message's data.
    func data(for token: DeviceToken) -> Data {
        guard case .apns = token else {
            let data: JSON = ["oos": .string(content.text)]
            return data.data
        }
        let payload: JSON = [
            "aps": [
                "alert": ["title": .string(title), "body": .string(subject)], "sound": "default",
            ],
            "oos": content,
        ]
        return payload.data
    }
}
