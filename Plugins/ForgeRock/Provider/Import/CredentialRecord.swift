import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A credential of PingPush or PingOath as JSON, of iOS or Android.
struct CredentialRecord {
    private let members: JSON.Object
    private let platform: VendorRecord.Platform
    private let secret: Secret?

    /// Reads a credential's members; `secret` is the Base32 text that iOS keeps apart.
    init(_ members: JSON.Object, _ platform: VendorRecord.Platform, secret: Secret?) {
        self.members = members
        self.platform = platform
        self.secret = secret
    }

    /// What the record says.
    var reading: VendorRecord.Reading {
        do throws(PushError) {
            return .mechanism(try mechanism())
        } catch {
            return .unreadable(
                .init(
                    mechanism: members["id"]?.string, kind: kind,
                    issuer: members["issuer"]?.string, account: members["accountName"]?.string),
                error, isAccount: false)
        }
    }

    private var kind: ImportReport.Kind? {
        guard members["sharedSecret"] == nil else { return .push }
        return switch members["oathType"]?.string?.lowercased() {
        case "totp": .totp
        case "hotp": .hotp
        default: nil
        }
    }

    private func mechanism() throws(PushError) -> StoredMechanism {
        guard let kind else {
            throw PushError(.unsupported, "The record is of an unknown type.")
        }
        let reader = MemberReader(members)
        let id = try reader.mechanismID("id")
        let issuer = try reader.optionalText("issuer") ?? ""
        let account = try reader.optionalText("accountName") ?? ""
        // The vendor writes the record's own identifier where AM's isn't known.
        let resourceID = try reader.known("resourceId").flatMap { $0 == id ? nil : $0 }
        let content: StoredMechanism.Content =
            if kind == .push {
                .push(try push(reader))
            } else {
                .codes(
                    try reader.codes(
                        isCounted: kind == .hotp, secret: try codeSecret(reader),
                        algorithm: "oathAlgorithm", resourceID: resourceID, from: platform))
            }
        var mechanism = StoredMechanism(
            id: id, issuer: issuer, account: account, content: content)
        mechanism.user = try reader.known("userId")
        mechanism.resourceID = resourceID
        mechanism.created = reader.time("createdAt", since: Date(timeIntervalSinceReferenceDate: 0))
        mechanism.holder = try StoredAccount(
            issuer: issuer, account: account, reader, lock: "isLocked")
        if kind == .push { mechanism.remarks.insert(.endpointWithoutQuery) }
        return mechanism
    }

    private func push(_ reader: MemberReader) throws(PushError) -> StoredMechanism.Push {
        let platform = try reader.known("platform")?.lowercased().replacing("_", with: "")
        guard platform == nil || platform == "pingam" else {
            throw PushError(.unsupported, "The credential is of another server than AM.")
        }
        let place = try reader.text("serverEndpoint").start(before: "#").start(before: "?")
        return StoredMechanism.Push(
            secret: try reader.pushSecret("sharedSecret"),
            registration: try Endpoint("\(place)?_action=register"),
            authentication: try Endpoint("\(place)?_action=authenticate"), cookie: nil)
    }

    private func codeSecret(_ reader: MemberReader) throws(PushError) -> Secret {
        if let text = try reader.known("secret") { return try CodeSecret.read(text) }
        guard let secret else {
            throw PushError(
                .malformed, "The secret is missing: the vendor's SDK for iOS keeps it apart.")
        }
        return try CodeSecret.read(secret.copiedText())
    }
}

/// What `toUri()` gives of a credential of PingPush or PingOath.
///
/// A URI of a push credential has no `m` and `c`, so it isn't an enrollment code.
struct CredentialURI {
    private let parameters: EnrollmentURIParameters
    private let id: String
    private let platform: VendorRecord.Platform

    init(_ text: String, id: String, _ platform: VendorRecord.Platform) throws(PushError) {
        guard let parameters = try EnrollmentURIParameters(text) else {
            throw PushError(.unsupported, "The URI isn't one of the vendor's.")
        }
        self.parameters = parameters
        self.id = id
        self.platform = platform
    }

    /// What the URI says.
    var reading: VendorRecord.Reading {
        let kind: ImportReport.Kind =
            switch parameters.host {
            case "totp": .totp
            case "hotp": .hotp
            default: .push
            }
        do throws(PushError) {
            return .mechanism(try mechanism(kind))
        } catch {
            return .unreadable(
                .init(
                    mechanism: id, kind: kind, issuer: parameters.issuer,
                    account: parameters.account),
                error, isAccount: false)
        }
    }

    private func mechanism(_ kind: ImportReport.Kind) throws(PushError) -> StoredMechanism {
        let id = try StoredMechanism.checkedID(id)
        let content: StoredMechanism.Content
        var resourceID = parameters.decoded("pid")
        if kind == .push {
            content = .push(
                .init(
                    secret: try parameters.requiredSecret("s"),
                    registration: try parameters.requiredEndpoint("r"),
                    authentication: try parameters.requiredEndpoint("a"), cookie: nil))
        } else {
            guard let codes = try OneTimeCodeParameters(parameters) else {
                throw EnrollmentURIParameters.invalid("secret", "is missing")
            }
            content = .codes(
                try codes.counted { (stored) throws(PushError) in
                    try StoredMechanism.next(stored, from: platform)
                })
            resourceID = codes.resourceID
        }
        var mechanism = StoredMechanism(
            id: id, issuer: parameters.issuer, account: parameters.account, content: content)
        mechanism.user = parameters.user
        mechanism.resourceID = resourceID.flatMap { $0.isEmpty || $0 == id ? nil : $0 }
        if let policies = parameters["policies"] {
            mechanism.holder = try StoredAccount(
                issuer: parameters.issuer, account: parameters.account,
                MemberReader(["policies": .string(parameters.decoded("policies") ?? policies)]),
                lock: "isLocked")
        }
        return mechanism
    }
}
