import Foundation
import HTTPTypes
import PushCore
import PushKeycloak
import PushKeycloakSimulator
import PushTesting

/// The longer flows.
extension KeycloakLab {
    // MARK: Enrolling

    private func offer(_ code: Invitation) throws -> Invitation.Offer {
        guard let offer = try main.authenticator.offers(for: code).first else {
            throw PushError(.invalidInvitation, "No plugin made an offer.")
        }
        return offer
    }

    func loseEnrollment() async throws -> String {
        let offer = try offer(await main.simulator.invitation(for: "bob"))
        // What enrolling asks before: the realm's keys, and an access token.
        await main.host.loseNextReply(to: "/enroll/complete")
        let lost = try await main.authenticator.enroll(offer)
        guard case .pending(.unconfirmed) = lost.state else { return "\(lost.state)" }
        let found = try await main.authenticator.refresh(lost.id)
        return "unconfirmed; after a look at the list: \(found.state)"
    }

    func enrollTwice() async throws -> String {
        let offer = try offer(await main.simulator.invitation(for: "eve"))
        _ = try await main.authenticator.enroll(offer)
        return await Result { () async throws(PushError) in
            try await main.authenticator.enroll(offer)
        }.refusal
    }

    func enrollForged() async throws -> String {
        let code = try await main.simulator.enrollmentCode(for: "ada", spoiledBy: .wrongKey)
        let offer = try offer(.scanned(text: code))
        return await Result { () async throws(PushError) in
            try await main.authenticator.enroll(offer)
        }.refusal
    }

    // MARK: Answering

    func askAndApprove(_ station: Station<KeycloakSimulator>) async throws -> String {
        let login = try await station.simulator.startLogin(of: "ada", asking: .confirm)
        guard await station.simulator.takePushes().isEmpty else { return "pushed" }
        let found = try await station.authenticator.pending().found
        guard let id = found.first(where: \.isNew)?.challenge else { return "nothing found" }
        return try await station.answer(station.authenticator.challenge(id), .approve, login)
    }

    func enterPIN() async throws -> String {
        await main.simulator.configure { $0.numberCheck = .pin(length: 6) }
        let login = try await main.simulator.startLogin(of: "ada", asking: .number)
        let challenge = try await main.receiveChallenge()
        await main.simulator.configure { $0.numberCheck = .match }
        guard case .enter(let digits) = challenge.prompt else { return "\(challenge.prompt)" }
        let said = try await main.answer(challenge, .enter(login.shown ?? ""), login)
        return "\(digits) digits; \(said)"
    }

    /// What the link brings isn't sent before the user has chosen it.
    func followLink() async throws -> String {
        await main.simulator.configure { $0.linkHasAnswer = true }
        let login = try await main.simulator.startLogin(of: "ada", asking: .number)
        await main.simulator.configure { $0.linkHasAnswer = false }
        _ = await main.simulator.takePushes()
        let link = try await main.simulator.sameDeviceLink(of: login.id)
        let found = try await main.authenticator.receive(PushMessage(text: link, by: .link))
        guard let id = found.first?.challenge else { return "nothing found" }
        let challenge = try await main.authenticator.challenge(id)
        guard case .choose(let numbers) = challenge.prompt, let number = login.shown else {
            return "nothing to choose"
        }
        guard try await main.status(of: login) == "still waiting" else {
            return "answered by itself"
        }
        let said = try await main.answer(challenge, .choose(number), login)
        return "to choose from \(numbers.count); \(said)"
    }

    // MARK: Lasting

    func repeatPush() async throws -> String {
        _ = try await main.simulator.startLogin(
            of: "ada", asking: .confirm, spoiledBy: .repeated)
        let receptions = try await main.receive()
        let isOnce = Set(receptions.map(\.challenge)).count == 1
        return receptions.count == 2 && receptions.filter(\.isNew).count == 1 && isOnce
            ? "one challenge" : "\(receptions.count) receptions"
    }

    func goDown() async throws -> String {
        let login = try await main.simulator.startLogin(of: "ada", asking: .confirm)
        let challenge = try await main.receiveChallenge()
        await main.host.stop()
        let down = try await main.authenticator.resolve(challenge, with: .approve)
        try await main.host.restart()
        var up = try await main.authenticator.resume()[challenge.id]
        // The list was asked for over a connection of its own, which is as dead as the first.
        if case .unknown? = up { up = try await main.authenticator.resume()[challenge.id] }
        let status = try await main.status(of: login)
        return "\(down.words); \(up?.words ?? "nothing sent"), \(status)"
    }

    func loseReply() async throws -> String {
        let login = try await main.simulator.startLogin(of: "ada", asking: .confirm)
        let challenge = try await main.receiveChallenge()
        await main.host.loseNextReply(to: "/respond")
        let lost = try await main.authenticator.resolve(challenge, with: .approve)
        let found = try await main.authenticator.resume()[challenge.id]
        let status = try await main.status(of: login)
        return "\(lost.words); \(found?.words ?? "nothing sent") after resume, \(status)"
    }

    func meetStranger() async throws -> String {
        let login = try await main.simulator.startLogin(of: "ada", asking: .confirm)
        let challenge = try await main.receiveChallenge()
        // What is asked after a push comes before, so that the stranger answers the answer.
        _ = try await main.authenticator.pending()
        await main.host.answerAsGateway(.ok)
        let met = try await main.answer(challenge, .approve, login)
        let found = try await main.authenticator.resume()[challenge.id]
        let status = try await main.status(of: login)
        return "\(met); \(found?.words ?? "nothing sent") after resume, \(status)"
    }

    // MARK: Keys and ends

    /// The enrollment that the realm asks of ada's.
    private func ada() async throws -> Enrollment {
        let asked = await main.simulator.devices(of: "ada").first?.credentialID
        guard
            let found = try await main.authenticator.enrollments().first(where: {
                $0.id.name == asked
            })
        else { throw PushError(.notFound, "Ada isn't enrolled.") }
        return found
    }

    private var keycloak: Keycloak {
        get async throws {
            Keycloak(
                configuration: try await Self.configuration(of: main.simulator),
                in: main.device.environment)
        }
    }

    func rotateKey(losingReply isLost: Bool) async throws -> String {
        let (id, provider) = (try await ada().id, try await keycloak)
        let before = await main.simulator.devices(of: "ada").first?.thumbprint
        if isLost { await main.host.loseNextReply(to: "/rotate-key") }
        let rotated = await Result { () async throws(PushError) in
            try await main.authenticator.turn(of: id) { (account) async throws(PushError) in
                try await provider.rotateKey(of: account)
            }
        }
        let after = await main.simulator.devices(of: "ada").first?.thumbprint
        let said = try await main.answer("ada", .confirm) { _, _ in .approve }
        return (isLost ? "\(rotated.refusal), " : "")
            + "\(before == after ? "the same key" : "another key"); \(said)"
    }

    func replace() async throws -> String {
        let first = try await main.simulator.startLogin(of: "ada", asking: .confirm)
        let challenge = try await main.receiveChallenge()
        _ = try await main.simulator.startLogin(of: "ada", asking: .confirm)
        _ = await main.simulator.takePushes()
        _ = try await main.status(of: first)
        return try await main.authenticator.resolve(challenge, with: .approve).words
    }

    func lockOut() async throws -> String {
        let (id, provider) = (try await ada().id, try await keycloak)
        try await main.authenticator.turn(of: id) { (account) async throws(PushError) in
            try await provider.lockOut(account)
        }
        let started = await Result { () async throws(PushError) in
            try await main.simulator.startLogin(of: "ada", asking: .confirm)
        }
        guard case .failure = started, await main.simulator.isLockedOut("ada") else {
            return "not locked"
        }
        await main.simulator.unlock("ada")
        let login = try await main.simulator.startLogin(of: "ada", asking: .confirm)
        // The list tells the device that the account is open again, this second or the next.
        _ = try await main.authenticator.refresh(id)
        let said = try await main.answer(main.receiveChallenge(), .approve, login)
        return "no more logins; unlocked: \(said)"
    }

    func removeCredential() async throws -> String {
        _ = try await main.simulator.startLogin(of: "ada", asking: .confirm)
        let challenge = try await main.receiveChallenge()
        // What is asked after a push comes before, so that the answer is what hears of it.
        _ = try await main.authenticator.pending()
        await main.simulator.removeDevice(challenge.id.enrollment.name)
        let outcome = try await main.authenticator.resolve(challenge, with: .approve)
        let state = try await main.authenticator.enrollment(challenge.id.enrollment)?.state
        return "\(outcome.words); \(state.map { "\($0)" } ?? "gone")"
    }
}
