import Crypto
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension XignInEnroller {
    /// The text of a link that was scanned, opened or pasted.
    static func link(in invitation: Invitation) -> Secret? {
        switch invitation {
        case .scanned(let link), .typed(let link): link
        default: nil
        }
    }

    func invited(by link: Secret) throws(PushError) -> XignInInvitation? {
        let configuration = provider.configuration
        let invited = try provider.format.invitation(
            in: link, allowsPlainHTTP: configuration.allowsPlainHTTP)
        if let invited { try configuration.check(host: invited.host) }
        return invited
    }

    /// Asks for an activation that is on record as pending, and stores it.
    ///
    /// - Returns: The enrollment; still pending if the reply was lost.
    func activate(
        _ enrollment: Enrollment, deviceToken: DeviceToken?, again: Bool
    ) async throws(PushError) -> Enrollment {
        let reply: XignInReply<XignInActivation>
        do throws(PushError) {
            reply = try await provider.format.activate(enrollment.id, using: provider.access)
        } catch {
            switch error.code {
            // The manager may have made the activation, and the same keys get it again.
            case .interrupted, .oversizedReply, .server: return enrollment
            case .storage, .conflict: throw error
            default: break
            }
            // An earlier copy may have arrived, though this one didn't.
            if !again { try await forget(enrollment.id) }
            throw error
        }
        switch reply {
        case .done(let activation):
            return try await confirm(enrollment.id, activation, deviceToken: deviceToken)
        case .refused(let refusal):
            // An earlier copy may have made the activation, unless the manager says that the link
            // brings none any more.
            if !again || refusal.endsLink { try await forget(enrollment.id) }
            throw refusal.errorWhilePersonalizing
        }
    }

    func confirm(
        _ enrollment: Enrollment.ID, _ activation: XignInActivation, deviceToken: DeviceToken?
    ) async throws(PushError) -> Enrollment {
        try await vault.update(enrollment) { (credential) throws(PushError) in
            var record = try XignInRecord(reading: credential.secret)
            record.format = activation.record
            record.link = nil
            credential.secret = record.sealed
            let old = credential.enrollment
            var new = Enrollment(
                id: old.id, issuer: old.issuer, account: activation.account, host: old.host,
                port: old.port, state: .active, created: old.created)
            // After a lost reply the core tells the token again, as it may have changed meanwhile.
            new.deviceToken = deviceToken
            credential.enrollment = new
            return new
        }
    }

    /// Goes on with an activation whose answer was lost, by the same link: with the same keys, and
    /// with the PIN of the first time, which is the one that the manager may have.
    ///
    /// - Throws: `PushError` with the code `alreadyEnrolled` for any other link: one of a stranger
    ///   could take over the name of a manager.
    func goOn(
        with known: Credential, _ link: Secret
    ) async throws(PushError) -> Enrollment {
        let record = try XignInRecord(reading: known.secret)
        guard known.enrollment.state == .pending(.unconfirmed), record.link == Self.hash(of: link)
        else { throw alreadyEnrolled }
        return try await activate(known.enrollment, deviceToken: nil, again: true)
    }

    /// A link holds 256 random bits, so its hash tells nothing of it.
    static func hash(of link: Secret) -> String {
        link.withBytes { Base64.encode(Data(SHA256.hash(data: $0)), as: .url) }
    }

    /// Takes a record away, with the key that only biometry unlocks.
    func forget(_ enrollment: Enrollment.ID) async throws(PushError) {
        if let record = try? await provider.access.secret(of: enrollment) {
            await provider.format.discard(record, using: provider.access)
        }
        try await vault.delete(enrollment)
    }

    var alreadyEnrolled: PushError {
        PushError(
            .alreadyEnrolled,
            "There is an activation at this manager: remove it first, or refresh it if it is pending."
        )
    }
}
