import Foundation
import PushCore
import PushPrivacyIDEASimulator
import PushTesting

/// The longer flows.
extension PrivacyIDEALab {
    /// Where the code is spent and the server's key is lost with the reply.
    func loseEnrollment() async throws -> String {
        let code = try await pi314.simulator.invitation(for: "bob")
        guard let offer = try pi314.authenticator.offers(for: code).first else {
            return "no offer"
        }
        let before = try await pi314.recordCount()
        await pi314.host.loseNextReply()
        let lost = await Result { () async throws(PushError) in
            try await pi314.authenticator.enroll(offer)
        }
        let kept = try await pi314.recordCount() == before ? "nothing kept" : "something kept"
        let again = try await pi314.enroll("bob")
        return "\(lost.refusal), \(kept); by a new code: \(again.state)"
    }

    /// Denies, and says what the relying party was told.
    func denial(_ reason: DenyReason) async throws -> String {
        let login = try await pi314.simulator.startLogin(of: "ada", asking: .confirm)
        let said = try await pi314.answer(pi314.receiveChallenge(), .deny(reason), login)
        let state = try await pi314.simulator.transaction(login.id)
        return "\(said), \(state.challengeStatus)"
    }

    func askAndApprove(_ station: Station<PrivacyIDEASimulator>) async throws -> String {
        let login = try await station.simulator.startLogin(of: "ada", asking: .confirm)
        guard let challenge = try await ask(station) else { return "nothing found" }
        return try await station.answer(challenge, .approve, login)
    }

    /// Asks a server what waits, and opens it.
    private func ask(_ station: Station<PrivacyIDEASimulator>) async throws -> Challenge? {
        for enrollment in try await station.authenticator.enrollments() {
            let found = try await station.authenticator.pending(for: enrollment.id)
            if let id = found.first(where: \.isNew)?.challenge {
                return try await station.authenticator.challenge(id)
            }
        }
        return nil
    }

    func typeCode() async throws -> String {
        await pi314.simulator.configure { $0.sendsCodeToPhone = true }
        let login = try await pi314.simulator.startLogin(of: "ada", asking: .confirm)
        let challenge = try await pi314.receiveChallenge()
        let outcome = try await pi314.authenticator.resolve(challenge, with: .approve)
        await pi314.simulator.configure { $0.sendsCodeToPhone = false }
        guard case .code(let code, _) = outcome else { return outcome.words }
        let before = try await pi314.status(of: login)
        let isIn = try await pi314.simulator.finish(login.id, typing: code)
        return "\(outcome.words), \(before); typed: \(isIn ? "logged in" : "refused")"
    }

    func repeatPush() async throws -> String {
        _ = try await pi314.simulator.startLogin(
            of: "ada", asking: .confirm, spoiledBy: .repeated)
        let receptions = try await pi314.receive()
        let isOnce = Set(receptions.map(\.challenge)).count == 1
        return receptions.count == 2 && receptions.filter(\.isNew).count == 1 && isOnce
            ? "one challenge" : "\(receptions.count) receptions"
    }

    func loseReply() async throws -> String {
        let login = try await pi314.simulator.startLogin(of: "ada", asking: .confirm)
        let challenge = try await pi314.receiveChallenge()
        // What is asked after a push comes before, so that the answer's reply is the one that is lost.
        _ = try await pi314.authenticator.pending()
        await pi314.host.loseNextReply()
        let lost = try await pi314.authenticator.resolve(challenge, with: .approve)
        let found = try await pi314.authenticator.resume()[challenge.id]
        let status = try await pi314.status(of: login)
        return "\(lost.words); \(found?.words ?? "nothing sent") after resume, \(status)"
    }

    /// Of 3.13, as the device doesn't ask such a server again until its next start.
    func forbidPolls() async throws -> String {
        await pi313.simulator.configure { $0.polling = .deny }
        guard let id = try await pi313.authenticator.enrollments().first?.id else {
            return "not enrolled"
        }
        let asked = await Result { () async throws(PushError) in
            try await pi313.authenticator.pending(for: id)
        }
        let said = try await pi313.answer("ada", .confirm) { _, _ in .approve }
        return "asked: \(asked.refusal); pushed: \(said)"
    }

    func askWithWrongClock() async throws -> String {
        let said = try await askAndApprove(pi39)
        let refused = await pi39.simulator.exchanges.count { $0.status != 200 }
        return "\(said); \(refused == 0 ? "not once" : "\(refused) times") refused"
    }

    func rollOver() async throws -> String {
        guard let serial = await pi314.simulator.tokens(of: "ada").first?.serial else {
            return "no token"
        }
        let prefix = serial + "@"
        let enrollments = try await pi314.authenticator.enrollments()
        guard let old = enrollments.first(where: { $0.id.name.hasPrefix(prefix) }) else {
            return "not enrolled"
        }
        _ = try await pi314.simulator.startLogin(of: "ada", asking: .confirm)
        let pushes = await pi314.simulator.takePushes()
        let code = try await pi314.simulator.enrollmentURI(for: "ada", serial: serial)
        guard let offer = try pi314.authenticator.offers(for: .scanned(text: code)).first else {
            return "no offer"
        }
        let new = try await pi314.authenticator.enroll(offer)
        var refusals: Set<String> = []
        for push in pushes {
            let received = await Result { () async throws(PushError) in
                try await pi314.authenticator.receive(push.message())
            }
            refusals.insert(received.refusal)
        }
        let said = try await pi314.answer("ada", .confirm) { _, _ in .approve }
        let name = new.id == old.id ? "same enrollment" : "another enrollment"
        return "\(name); old push \(refusals.sorted().joined(separator: ", ")); \(said)"
    }

    /// The phone of 3.14 enrolls at 3.13, too, under the serial that it has already.
    func shareSerial() async throws -> String {
        await pi313.simulator.configure { $0.polling = .allow }
        let visitor = pi313.visited(by: pi314.device)
        let code = try await pi314.simulator.enrollmentURI(for: "eve", serial: "SHARED-1")
        let other = try await visitor.simulator.enrollmentURI(for: "eve", serial: "SHARED-1")
        var statuses: [String] = []
        for (station, text) in [(pi314, code), (visitor, other)] {
            guard
                let offer = try station.authenticator.offers(for: .scanned(text: text)).first
            else { return "no offer" }
            _ = try await station.authenticator.enroll(offer)
        }
        for station in [pi314, visitor] {
            let login = try await station.simulator.startLogin(of: "eve", asking: .confirm)
            let challenge = try await station.receiveChallenge()
            let origin = await station.simulator.origin
            guard challenge.id.enrollment.name == "SHARED-1@" + origin else {
                return "another server's is asked"
            }
            let status = try await station.answer(challenge, .approve, login)
            statuses.append(status)
        }
        return statuses.allSatisfy { $0 == "taken, logged in" }
            ? "each asks its own; both logged in" : statuses.joined(separator: "; ")
    }

    func deleteToken() async throws -> String {
        _ = try await pi39.simulator.startLogin(of: "ada", asking: .confirm)
        guard let challenge = try await ask(pi39) else { return "nothing found" }
        for token in await pi39.simulator.tokens(of: "ada") {
            await pi39.simulator.removeToken(token.serial)
        }
        let outcome = try await pi39.authenticator.resolve(challenge, with: .approve)
        let state = try await pi39.authenticator.enrollment(challenge.id.enrollment)?.state
        return "\(outcome.words); \(state.map { "\($0)" } ?? "gone")"
    }
}
