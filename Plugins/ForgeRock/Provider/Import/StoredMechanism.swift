import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A mechanism as the vendor's SDK kept it, whichever of them did.
struct StoredMechanism: Sendable {
    enum Content: Sendable {
        case push(Push)
        case codes(OneTimeCodeParameters)
    }

    /// What pushes need.
    struct Push: Sendable {
        let secret: Secret
        let registration: Endpoint
        let authentication: Endpoint
        let cookie: String?
    }

    let id: String
    let issuer: String
    let account: String
    let content: Content
    var user: String?
    var resourceID: String?
    var created: Date?
    /// What the account says, where the mechanism's own record holds it.
    var holder: StoredAccount?
    var remarks: Set<ImportReport.Remark> = []

    var kind: ImportReport.Kind {
        switch content {
        case .push: .push
        case .codes(let codes): codes.isCounted ? .hotp : .totp
        }
    }

    var description: VendorRecord.Description {
        .init(mechanism: id, kind: kind, issuer: issuer, account: account)
    }
}

/// The part of an account that its mechanisms share.
struct StoredAccount: Sendable {
    let issuer: String
    let account: String
    var policies: JSON.Object = [:]
    var hasUnreadablePolicies = false
    /// The policy for which the account is locked; empty if it is locked for none that has a name.
    var lock: String?

    /// Reads what a record says of policies and lock.
    ///
    /// - Throws: `PushError` with the code `malformed` if a member has another type: a lock that can't
    ///   be read may stand.
    init(
        issuer: String, account: String, _ members: MemberReader, lock: String
    ) throws(PushError) {
        self.issuer = issuer
        self.account = account
        if let text = try members.optionalText("policies"), !text.isEmpty {
            let read = try? JSON(parsing: text, limits: .init(depth: 31)).object
            policies = read ?? [:]
            hasUnreadablePolicies = read == nil
        }
        if try members.flag(lock) {
            self.lock = try members.optionalText("lockingPolicy") ?? ""
        }
    }
}

/// What the records of all the vendor's SDKs write alike.
extension MemberReader {
    /// A text; `nil` if it is absent, `null` or empty, which all mean unknown.
    func known(_ name: String) throws(PushError) -> String? {
        guard let text = try optionalText(name), !text.isEmpty else { return nil }
        return text
    }

    /// The identifier of a mechanism, as it stands in every push.
    func mechanismID(_ name: String) throws(PushError) -> String {
        try StoredMechanism.checkedID(try text(name))
    }

    /// The secret behind Base64 of any variant.
    func pushSecret(_ name: String) throws(PushError) -> Secret {
        let secret = try Base64.secret(from: try text(name), as: .anyAlphabet)
        guard secret.count > 0 else { throw PushError(.malformed, "The secret is empty.") }
        return secret
    }

    /// When a record was made.
    ///
    /// A text is ISO 8601. A number from 10¹¹ on is milliseconds since 1970; a smaller one is seconds
    /// since `start`. What is none of these is no reason to leave a mechanism behind.
    func time(_ name: String, since start: Date) -> Date? {
        guard let value = self[name] else { return nil }
        if let text = value.string {
            let fractional = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
            return (try? Date(text, strategy: .iso8601)) ?? (try? Date(text, strategy: fractional))
        }
        guard let number = value.double, abs(number) < 1e15 else { return nil }
        return number >= 1e11 ? Date(timeIntervalSince1970: number / 1000) : start + number
    }

    /// What one-time codes are made with.
    func codes(
        isCounted: Bool, secret: Secret, algorithm: String, resourceID: String?,
        from platform: VendorRecord.Platform
    ) throws(PushError) -> OneTimeCodeParameters {
        let kind: OneTimeCodeParameters.Kind
        if isCounted {
            let counter = try optional("counter") { $0.integer } ?? 0
            kind = .hotp(counter: try StoredMechanism.next(counter, from: platform))
        } else {
            let period = try optional("period") { $0.integer } ?? 30
            kind = .totp(period: Int(clamping: period))
        }
        let digits = try optional("digits") { $0.integer } ?? 6
        return try OneTimeCodeParameters(
            kind, secret: secret,
            algorithm: try known(algorithm)?.uppercased() ?? "SHA1",
            digits: Int(clamping: digits), resourceID: resourceID)
    }
}

extension StoredMechanism {
    static func checkedID(_ id: String) throws(PushError) -> String {
        guard !id.isEmpty, id.utf8.count <= 128, !id.containsControlCharacters else {
            throw PushError(.malformed, "The mechanism's identifier is empty or too long.")
        }
        return id
    }

    /// The counter of the next code: Android's SDKs keep the last one that they used.
    static func next(
        _ stored: Int64, from platform: VendorRecord.Platform
    ) throws(PushError) -> Int64 {
        guard (0..<OneTimeCodeParameters.lastCounter).contains(stored) else {
            throw PushError(.malformed, "The counter is out of range.")
        }
        return platform == .android ? stored + 1 : stored
    }

    /// A load-balancer cookie that fits a header.
    static func checkedCookie(_ text: String?) throws(PushError) -> String? {
        guard let text else { return nil }
        guard Cookie.isSafe(text.utf8) else {
            throw PushError(.malformed, "The load-balancer cookie isn't a cookie.")
        }
        return text
    }
}
