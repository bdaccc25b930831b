import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An operation and its proximity code, as a link or a QR code carries them; nobody has signed it.
///
/// Either as the parameters `oid` and `totp` of a URL (`potp` in older ones), or as a token whose
/// payload has members of these names. The token is the only parameter, or the whole text. The
/// operation is a UUID, so another app's link with such parameters isn't taken for one.
struct ProximityLink: Sendable {
    /// Longer than any link that is meant for a person's screen.
    private static let maximumLength = 8192

    /// The operation.
    let operation: String

    /// The time-based code.
    let otp: Secret

    /// How it came.
    let type: PowerAuthProximityCheck.Kind

    /// `nil` if it isn't one.
    init?(_ text: String, type: PowerAuthProximityCheck.Kind) {
        guard text.utf8.count <= Self.maximumLength,
            let found = Self.parameters(of: text) ?? Self.payload(of: text)
        else { return nil }
        operation = found.operation
        otp = Secret(found.otp.utf8)
        self.type = type
    }

    private typealias Found = (operation: String, otp: String)

    private static func parameters(of text: String) -> Found? {
        // By bytes: a question mark and a combining mark would be one other `Character`.
        let bytes = text.utf8.prefix { $0 != UInt8(ascii: "#") }
        guard let mark = bytes.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        var values: [String: String] = [:]
        for part in bytes[bytes.index(after: mark)...].split(separator: UInt8(ascii: "&")) {
            let sides = part.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2, let name = unescaped(sides[0]), let value = unescaped(sides[1])
            else { return nil }
            // Of two values for one name, nobody knows which is meant.
            guard values.updateValue(value, forKey: name) == nil else { return nil }
        }
        if let found = found({ values[$0] }) { return found }
        guard values.count == 1, let token = values.first?.value else { return nil }
        return payload(of: token)
    }

    private static func payload(of token: String) -> Found? {
        var decoded: [Data] = []
        for part in token.utf8.split(
            separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        {
            let text = String(decoding: part, as: UTF8.self)
            guard decoded.count < 3, let data = try? Base64.data(from: text, as: .url) else {
                return nil
            }
            decoded.append(data)
        }
        guard decoded.count == 3, let payload = try? JSON(parsing: decoded[1]) else { return nil }
        return found { payload[$0]?.string }
    }

    private static func found(_ value: (String) -> String?) -> Found? {
        guard let operation = value("oid"), let otp = value("totp") ?? value("potp"),
            operation.hasUUIDForm, !otp.isEmpty
        else { return nil }
        return (operation, otp)
    }

    /// Undoes percent-encoding; `nil` if it is broken, or not UTF-8.
    private static func unescaped(_ text: some Collection<UInt8>) -> String? {
        var bytes: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(Hexadecimal.value(of:)),
                let low = rest.popFirst().flatMap(Hexadecimal.value(of:))
            else { return nil }
            bytes.append(high << 4 | low)
        }
        let result = String(decoding: bytes, as: UTF8.self)
        return result.utf8.elementsEqual(bytes) ? result : nil
    }
}

/// A proximity code on its way from the message that carried it to the approval.
struct ReceivedProximityCode: Sendable {
    /// The operation.
    let operation: String

    /// The time-based code.
    let otp: Secret

    /// How it came.
    let type: PowerAuthProximityCheck.Kind

    /// When it came, by this device's monotonic time, which a restart of the device begins again.
    let received: Duration

    init(_ link: ProximityLink, at received: Duration) {
        operation = link.operation
        otp = link.otp
        type = link.type
        self.received = received
    }

    /// Reads what ``context`` wrote; `nil` if it is something else.
    init?(_ record: Secret.Record) {
        guard record.secrets.count == 1,
            let operation = record.fields["oid"]?.string,
            let type = record.fields["type"]?.string
                .flatMap(PowerAuthProximityCheck.Kind.init(rawValue:)),
            let milliseconds = record.fields["received"]?.integer
        else { return nil }
        self.operation = operation
        self.type = type
        otp = record.secrets[0]
        received = .milliseconds(milliseconds)
    }

    /// The code as a hint carries it, and as the ledger keeps it for its operation.
    var context: Secret {
        let milliseconds = received.inMilliseconds
        return Secret.Record(
            fields: [
                "form": "operation", "oid": .string(operation), "type": .string(type.rawValue),
                "received": .integer(milliseconds),
            ], secrets: [otp]
        ).sealed
    }
}
