import Crypto
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The plugin's half of an enrollment's record.
struct XignInRecord: ProviderCredential {
    /// What the wire format keeps.
    var format: Secret { didSet { known = ReadOnce() } }

    private var known = ReadOnce()

    /// The hash of the link that asked for an activation; `nil` once there is one.
    private var link: String?

    /// What the manager said last about wrong factors, which it counts for the activation.
    private var lockout: Lockout?

    private struct Lockout {
        /// The process it was said of.
        let process: String
        let information: LockoutInformation
    }

    init(format: Secret, link: Secret) {
        self.format = format
        self.link = Self.hash(of: link)
    }

    init(reading sealed: Secret) throws(PushError) {
        let record = try Secret.Record(reading: sealed)
        guard let format = record.secrets.first else {
            throw PushError(.malformed, "The credential is damaged.")
        }
        self.format = format
        link = record.fields["link"]?.string
        guard let said = record.fields["lockout"] else { return }
        guard let lockout = Self.lockout(said) else {
            throw PushError(.malformed, "The credential is damaged.")
        }
        self.lockout = lockout
    }

    var sealed: Secret {
        var fields: JSON.Object = [:]
        fields["link"] = link.map(JSON.string)
        fields["lockout"] = lockout.map { lockout in
            let information = lockout.information
            var members: JSON.Object = [
                "process": .string(lockout.process),
                "seconds": .number(.init(Int64(information.seconds))),
                "permanent": .bool(information.isPermanent),
            ]
            members["remaining"] = information.remaining.map { .number(.init(Int64($0))) }
            return .object(members)
        }
        return Secret.Record(fields: fields, secrets: [format]).sealed
    }

    /// Whether it is of an activation that this link asked for, and that isn't there yet.
    func isAskedFor(by link: Secret) -> Bool { self.link == Self.hash(of: link) }

    /// A link holds 256 random bits, so its hash tells nothing of it.
    private static func hash(of link: Secret) -> String {
        link.withBytes { Base64.encode(Data(SHA256.hash(data: $0)), as: .url) }
    }

    /// The activation is there: what the format keeps of it, and no link any more.
    mutating func confirm(_ format: Secret) {
        self.format = format
        link = nil
    }

    /// What the wire format keeps, as a type of its own: read once for this value and its copies.
    func format<Record: ProviderCredential>(as _: Record.Type) throws(PushError) -> Record {
        try known.value { () throws(PushError) in try Record(reading: format) }
    }

    // MARK: Lockouts

    /// What was said of a process.
    func lockout(of process: String) -> LockoutInformation? {
        guard let lockout, lockout.process.utf8.elementsEqual(process.utf8) else { return nil }
        return lockout.information
    }

    /// Keeps what was said of a process; `nil` forgets it.
    mutating func note(_ information: LockoutInformation?, of process: String) {
        lockout = information.map { Lockout(process: process, information: $0) }
    }

    /// What ``sealed`` wrote; `nil` if it is damaged.
    private static func lockout(_ json: JSON) -> Lockout? {
        guard let process = json["process"]?.string,
            let seconds = json["seconds"]?.integer, let isPermanent = json["permanent"]?.bool
        else { return nil }
        let information = LockoutInformation(
            seconds: Int(seconds), remaining: json["remaining"]?.integer.map(Int.init),
            isPermanent: isPermanent)
        return Lockout(process: process, information: information)
    }
}
