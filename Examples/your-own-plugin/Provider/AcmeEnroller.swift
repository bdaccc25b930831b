import Foundation
import PushCore

struct AcmeEnroller: Enroller {
    let acme: Acme

    // snippet: offer
    func offer(_ invitation: Invitation) throws(PushError) -> Offer? {
        guard let found = try credential(from: invitation)?.enrollment else { return nil }
        return Offer(
            provider: acme.id, invitation: invitation, issuer: found.issuer,
            account: found.account, host: found.host)
    }

    /// The record that an enrollment begins with; `nil` if the invitation isn't a code of Acme's.
    private func credential(from invitation: Invitation) throws(PushError) -> Credential? {
        guard let text = invitation.scannedText, text.hasPrefix("acme:") else { return nil }
        guard let code = try? JSON(parsing: String(text.dropFirst(5))),
            let url = code["url"]?.string, let host = try? Endpoint(url).host,
            let device = code["device"]?.string, let account = code["account"]?.string,
            let key = Data(base64Encoded: code["key"]?.string ?? ""), key.count == 32
        else { throw PushError(.invalidInvitation, "It lacks url, device, account or key.") }
        let enrollment = Enrollment(
            id: Enrollment.ID(device, of: acme.id), issuer: "Acme", account: account, host: host,
            state: .pending(.unconfirmed), created: acme.environment.clock.now)
        let record = SecretRecord(fields: ["url": .string(url)], secrets: [Secret(key)])
        return Credential(enrollment, secret: record.sealed)
    }
    // end snippet

    // snippet: enroll
    func enroll(
        _ offer: Offer, with evidence: [Evidence], deviceToken: DeviceToken?
    ) async throws(PushError) -> Enrollment {
        guard deviceToken != nil else { throw PushError(.missingDeviceToken, "Acme needs one.") }
        guard let credential = try credential(from: offer.invitation) else {
            throw PushError(.invalidInvitation, "Not a code of Acme's.")
        }
        // On record before the first byte: if the reply is lost, the first push confirms it.
        try await acme.vault.create(credential)
        do throws(PushError) {
            try await update(deviceToken, for: credential.enrollment.id)
        } catch {
            if error.isReplyLost { return credential.enrollment }
            try await acme.vault.delete(credential.enrollment.id)
            throw error
        }
        return try await acme.vault.update(credential.enrollment.id) { credential in
            credential.enrollment.state = .active
            credential.enrollment.deviceToken = deviceToken
            return credential.enrollment
        }
    }

    /// Acme has one call to register a device, and to tell its token later.
    func update(_ deviceToken: DeviceToken?, for id: Enrollment.ID) async throws(PushError) {
        guard case .fcm(let token)? = deviceToken else {
            throw PushError(.unsupported, "Acme pushes by Firebase alone.")
        }
        let claims: JSON = ["do": "register", "token": .string(token)]
        let status = try await acme.post(acme.signed(claims, by: id), for: id)
        guard status == 200 else { throw PushError(.server(status: status), "Acme refused.") }
    }
    // end snippet

    func refresh(_ id: Enrollment.ID) async throws(PushError) -> Enrollment {
        try await acme.vault.existing(id).enrollment
    }

    func remove(_ id: Enrollment.ID, from place: Removal) async throws(PushError) {
        try await acme.vault.delete(id)
    }
}
