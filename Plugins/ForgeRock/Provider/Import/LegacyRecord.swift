import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A record of FRAuthenticator: JSON of iOS or Android, or an archive of iOS.
struct LegacyRecord {
    private let members: JSON.Object
    private let names: Names
    private let platform: VendorRecord.Platform
    /// What the archive's class says that it is; `nil` in JSON, whose members say so.
    private let type: String?

    /// A record of JSON text.
    init(_ members: JSON.Object, _ platform: VendorRecord.Platform) {
        self.members = members
        self.platform = platform
        names = .json
        type = nil
    }

    /// A record of the keychain.
    init(_ archive: KeyedArchive) {
        members = archive.members
        platform = .iOS
        names = .archive
        let prefix = "FRAuthenticator."
        type =
            archive.className.hasPrefix(prefix)
            ? String(archive.className.dropFirst(prefix.count)) : ""
    }

    /// The members that the two forms name differently.
    private struct Names {
        let id: String
        let registration: String
        let authentication: String

        static let json = Names(
            id: "mechanismUID", registration: "registrationEndpoint",
            authentication: "authenticationEndpoint")
        static let archive = Names(
            id: "mechanismUUID", registration: "regEndpoint", authentication: "authEndpoint")
    }

    /// What the record says.
    var reading: VendorRecord.Reading {
        if type == "Account" { return Self.account(members) }
        do throws(PushError) {
            return .mechanism(try mechanism())
        } catch {
            return .unreadable(description, error, isAccount: false)
        }
    }

    /// An account, in either form.
    static func account(_ members: JSON.Object) -> VendorRecord.Reading {
        let reader = MemberReader(members)
        do throws(PushError) {
            return .account(
                try StoredAccount(
                    issuer: try reader.optionalText("issuer") ?? "",
                    account: try reader.optionalText("accountName") ?? "", reader, lock: "lock"))
        } catch {
            return .unreadable(
                .init(issuer: members["issuer"]?.string, account: members["accountName"]?.string),
                error, isAccount: true)
        }
    }

    private var description: VendorRecord.Description {
        .init(
            mechanism: members[names.id]?.string, kind: try? kind(),
            issuer: members["issuer"]?.string, account: members["accountName"]?.string)
    }

    /// The kind, on which class and members must agree.
    private func kind() throws(PushError) -> ImportReport.Kind {
        let said = members["type"]?.string?.lowercased()
        let kind: ImportReport.Kind? =
            switch type {
            case "PushMechanism": .push
            case "TOTPMechanism": .totp
            case "HOTPMechanism": .hotp
            case nil: Self.kind(said == "otpauth" ? members["oathType"]?.string : said)
            default: nil
            }
        guard let kind else {
            throw PushError(.unsupported, "The record is of an unknown type.")
        }
        guard type == nil || said == nil || Self.kind(said) == kind else {
            throw PushError(.malformed, "The record's class and type contradict each other.")
        }
        return kind
    }

    private static func kind(_ text: String?) -> ImportReport.Kind? {
        switch text?.lowercased() {
        case "push", "pushauth": .push
        case "totp": .totp
        case "hotp": .hotp
        default: nil
        }
    }

    private func mechanism() throws(PushError) -> StoredMechanism {
        let kind = try kind()
        let reader = MemberReader(members)
        let id = try reader.mechanismID(names.id)
        let issuer = try reader.optionalText("issuer") ?? ""
        let account = try reader.optionalText("accountName") ?? ""
        let resourceID = try reader.known("resourceId")
        let content: StoredMechanism.Content =
            if kind == .push {
                .push(
                    .init(
                        secret: try reader.pushSecret("secret"),
                        registration: try Endpoint(try reader.text(names.registration)),
                        authentication: try Endpoint(try reader.text(names.authentication)),
                        cookie: try StoredMechanism.checkedCookie(
                            try reader.known("loadBalancer"))))
            } else {
                .codes(
                    try reader.codes(
                        isCounted: kind == .hotp,
                        secret: try CodeSecret.read(try reader.text("secret")),
                        algorithm: "algorithm", resourceID: resourceID, from: platform))
            }
        var mechanism = StoredMechanism(
            id: id, issuer: issuer, account: account, content: content)
        mechanism.user = try reader.known("uid")
        mechanism.resourceID = resourceID
        mechanism.created = reader.time("timeAdded", since: Date(timeIntervalSince1970: 0))
        if let nested = try reader.optional("account", { $0.object }) {
            mechanism.holder = try StoredAccount(
                issuer: issuer, account: account, MemberReader(nested), lock: "lock")
        }
        return mechanism
    }
}
