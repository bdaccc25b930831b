import PushCore
import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The push service between the platform and the devices.
struct PushService {
    private var faults: [OneSpanSimulator.PushFault] = []
    private var staleIdentifiers: Set<String> = []
    private var held: [SimulatedPush] = []
    private var delivered: [SimulatedPush] = []

    /// Hands a push over, and says whether it was taken.
    mutating func takes(_ payload: PushPayload, for identifier: String?) -> Bool {
        let fault = faults.isEmpty ? nil : faults.removeFirst()
        guard fault != .refuse, let identifier, !staleIdentifiers.contains(identifier),
            let token = NotificationIdentifier.deviceToken(in: identifier)
        else { return false }
        let push = SimulatedPush(to: token, payload: payload.data(for: token))
        switch fault {
        case .hold: held.append(push)
        case .drop: break
        case .duplicate: delivered.append(contentsOf: [push, push])
        default:
            delivered.append(
                contentsOf: payload.order.fault == .repeated ? [push, push] : [push])
        }
        return true
    }

    /// What was delivered since the last call, oldest first.
    mutating func takeDelivered() -> [SimulatedPush] {
        defer { delivered = [] }
        return delivered
    }

    // MARK: Faults

    /// Spoils the next pushes, one fault each.
    mutating func spoil(by more: [OneSpanSimulator.PushFault]) { faults += more }

    /// Refuses identifiers from now on.
    mutating func refuse(_ identifiers: [String]) { staleIdentifiers.formUnion(identifiers) }

    /// Delivers what was held back.
    mutating func release() {
        delivered += held
        held = []
    }
}

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

/// This project's reference form of a notification identifier; OneSpan's own isn't published.
///
/// Hexadecimal digits of `ONI1`, platform (1 APNs, 2 FCM), environment (0 production, 1
/// development), the token's length in two bytes, and the token.
enum NotificationIdentifier {
    static func deviceToken(in identifier: String) -> DeviceToken? {
        guard let bytes = [UInt8](hex: identifier), bytes.count > 8,
            bytes.starts(with: "ONI1".utf8),
            bytes.count - 8 == Int(UInt16(bytes[6..<8])), bytes[5] <= 1
        else { return nil }
        let token = bytes[8...]
        switch bytes[4] {
        case 1: return .apns(hex: token.hex.lowercased(), isSandbox: bytes[5] == 1)
        case 2: return .fcm(String(decoding: token, as: UTF8.self))
        default: return nil
        }
    }
}
