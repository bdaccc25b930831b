import Foundation
import PushCore

struct AcmeEnroller: Enroller {
    let acme: Acme

    // snippet: offer
    func offer(_ invitation: Invitation) throws(PushError) -> Invitation.Offer? {
        guard let (found, link) = try parts(of: invitation) else { return nil }
        return Invitation.Offer(
            provider: acme.id, invitation: invitation, issuer: found.issuer,
            account: found.account, host: link.url.hostWithPort)
    }

    /// What an enrollment begins with; `nil` if the invitation isn't a code of Acme's.
    private func parts(of invitation: Invitation) throws(PushError) -> (Enrollment, AcmeLink)? {
        guard let text = invitation.scannedText, text.hasPrefix("acme:") else { return nil }
        guard let code = try? JSON(parsing: String(text.dropFirst(5))),
            let url = try? Endpoint(code["url"]?.string ?? ""),
            let device = code["device"]?.string, let account = code["account"]?.string,
            let key = Data(base64Encoded: code["key"]?.string ?? ""), key.count == 32
        else { throw PushError(.invalidInvitation, "It lacks url, device, account or key.") }
        let enrollment = Enrollment(
            id: Enrollment.ID(device, of: acme.id), issuer: "Acme", account: account,
            host: url.host, port: url.port, state: .pending(.unconfirmed),
            created: acme.environment.clock.now)
        return (enrollment, AcmeLink(url: url, key: Secret(key)))
    }
    // end snippet

    // snippet: enroll
    func enroll(
        _ offer: Invitation.Offer, with evidence: [Evidence], deviceToken: DeviceToken?
    ) async throws(PushError) -> Enrollment {
        guard deviceToken != nil else { throw PushError(.missingDeviceToken, "Acme needs one.") }
        guard let (enrollment, link) = try parts(of: offer.invitation) else {
            throw PushError(.invalidInvitation, "Not a code of Acme's.")
        }
        // On record before the first byte: if the reply is lost, the first push confirms it.
        let account = try await acme.accounts.create(enrollment, link)
        do throws(PushError) {
            try await update(deviceToken, of: account)
        } catch {
            if error.isReplyLost { return enrollment }
            try await acme.accounts.delete(enrollment.id)
            throw error
        }
        return try await account.changeEnrollment { enrollment in
            enrollment.state = .active
            enrollment.deviceToken = deviceToken
            return enrollment
        }
    }

    /// Acme has one call to register a device, and to tell its token later.
    func update(_ deviceToken: DeviceToken?, of account: Account) async throws(PushError) {
        guard case .fcm(let token)? = deviceToken else {
            throw PushError(.unsupported, "Acme pushes by Firebase alone.")
        }
        let claims: JSON = ["do": "register", "token": .string(token)]
        let link: AcmeLink = try account.credential()
        let status = try await acme.post(link.signed(claims), to: link)
        guard status == 200 else { throw PushError(.server(status: status), "Acme refused.") }
    }
    // end snippet

    func refresh(_ account: Account) async throws(PushError) -> Enrollment { account.enrollment }

    func remove(_ account: Account, from place: Enrollment.Removal) async throws(PushError) {
        try await acme.accounts.delete(account.id)
    }
}
