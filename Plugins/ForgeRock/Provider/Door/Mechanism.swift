public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One purpose of an enrollment, under the vendor's names: pushes, or one-time codes.
public protocol Mechanism: Sendable {
    /// The enrollment.
    var enrollment: Enrollment { get }

    /// The vendor's word for the purpose: `push`, `totp` or `hotp`.
    var type: String { get }
}

extension Mechanism {
    /// The identifier that pushes name.
    public var mechanismUUID: String { enrollment.id.name }

    /// The issuer. Safe to show.
    public var issuer: String { enrollment.issuer ?? "" }

    /// The account. Safe to show.
    public var accountName: String { enrollment.account ?? "" }

    /// When it was made, by this device's clock.
    public var timeAdded: Date { enrollment.created }

    /// The vendor's name for it: issuer, account and type.
    public var identifier: String { "\(accountIdentifier)-\(type)" }

    /// The vendor's name for its account: issuer and account.
    public var accountIdentifier: String { "\(issuer)-\(accountName)" }
}

/// A mechanism for pushes.
public struct PushMechanism: Mechanism {
    /// The enrollment.
    public let enrollment: Enrollment

    let client: FRAClient

    /// `push`.
    public var type: String { "push" }

    /// What was received for it and is still on record.
    ///
    /// - Throws: `PushError` with the code `malformed` or `storage` if the records can't be read.
    public var notifications: [PushNotification] {
        get async throws(PushError) { try await client.getAllNotifications(mechanism: self) }
    }

    /// What of it nobody has answered on this device, expired or not.
    ///
    /// - Throws: `PushError` with the code `malformed` or `storage` if the records can't be read.
    public var pendingNotifications: [PushNotification] {
        get async throws(PushError) {
            var pending: [PushNotification] = []
            for notification in try await notifications where try await notification.isPending {
                pending.append(notification)
            }
            return pending
        }
    }
}

/// A mechanism for one-time codes by time.
public struct TOTPMechanism: Mechanism {
    /// The enrollment.
    public let enrollment: Enrollment

    /// How many digits a code has, 6 to 8.
    public let digits: Int

    /// How long a code lasts, in seconds.
    public let period: Int

    let client: FRAClient

    /// `totp`.
    public var type: String { "totp" }

    /// Makes the code of this moment.
    ///
    /// - Throws: `PushError`, with the codes of `PushAuthenticator.code(for:)`.
    public func generateCode() async throws(PushError) -> OathTokenCode {
        let code = try await client.authenticator.code(for: enrollment.id)
        return OathTokenCode(
            tokenType: type, code: code.text.copiedText(),
            start: code.expiry.map { $0 - Double(period) }, until: code.expiry)
    }
}

/// A mechanism for one-time codes by a counter.
public struct HOTPMechanism: Mechanism {
    /// The enrollment.
    public let enrollment: Enrollment

    /// How many digits a code has, 6 to 8.
    public let digits: Int

    let client: FRAClient

    /// `hotp`.
    public var type: String { "hotp" }

    /// Makes the next code; no code comes twice.
    ///
    /// - Throws: `PushError`, with the codes of `PushAuthenticator.code(for:)`.
    public func generateCode() async throws(PushError) -> OathTokenCode {
        let code = try await client.authenticator.code(for: enrollment.id)
        return OathTokenCode(
            tokenType: type, code: code.text.copiedText(), start: nil, until: nil)
    }
}

/// A one-time code under the vendor's names. Its text is a copy that nothing clears.
public struct OathTokenCode: Hashable, Sendable {
    /// `totp` or `hotp`.
    public let tokenType: String

    /// The code, with its leading zeros.
    public let code: String

    /// Since when it counts; `nil` if time doesn't matter.
    public let start: Date?

    /// When the next one takes its place; `nil` if time doesn't end it.
    public let until: Date?

    /// Whether it counts at a moment.
    public func isValid(at now: Date) -> Bool { until.map { now < $0 } ?? true }

    /// How much of its time is over at a moment, 0 to 1; 0 if time doesn't end it.
    public func progress(at now: Date) -> Double {
        guard let start, let until else { return 0 }
        return min(max(now.timeIntervalSince(start) / until.timeIntervalSince(start), 0), 1)
    }
}

extension FRAClient {
    /// An issuer's account under the vendor's names: its mechanisms.
    public struct Account: Sendable {
        /// The issuer. Safe to show.
        public let issuer: String

        /// The account. Safe to show.
        public let accountName: String

        /// Its mechanisms, oldest first.
        public let mechanisms: [any Mechanism]

        /// The vendor's name for it: issuer and account.
        public var identifier: String { "\(issuer)-\(accountName)" }

        /// Whether one of its enrollments can't be used because of a policy.
        public var isLocked: Bool { lockingPolicy != nil }

        /// That policy's name.
        public var lockingPolicy: String? {
            for mechanism in mechanisms {
                if case .blocked(let policy) = mechanism.enrollment.state { return policy }
            }
            return nil
        }
    }
}
