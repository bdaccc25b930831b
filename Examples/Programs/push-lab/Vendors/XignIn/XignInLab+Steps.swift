import Foundation
import LocalServer
import PushCore
import PushTesting
import PushXignIn
import PushXignInSimulator

/// What the flows do.
extension XignInLab {
    func personalize(
        _ name: String, at station: Station<XignInSimulator>
    ) async throws -> String {
        let enrollment = try await station.enroll(name)
        return "\(enrollment.id.name), \(enrollment.state)"
    }

    func answer(
        at station: Station<XignInSimulator>, _ resolution: (Challenge) -> Resolution
    ) async throws -> String {
        try await station.answer("jane", .confirm) { _, challenge in resolution(challenge) }
    }

    /// The documented continuation, call by call.
    func signIn() async throws -> String {
        let login = try await clinic.simulator.startLogin(of: "jane", asking: .confirm)
        let push = XignPush(clinic.authenticator, provider: xign)
        let authenticator = XignAuthenticator(clinic.authenticator, provider: xign)
        guard let sent = await clinic.simulator.takePushes().first,
            let text = try sent.message()["oxrw_msg"]?.string,
            case .authentication(let message)? = try await push.handleMessage(
                data: ["oxrw": "1", "oxrw_msg": text])
        else { return "no authentication" }
        let data = try await authenticator.fetchPushAuthenticationInitializationData(
            message: message)
        let request = try await authenticator.startAuthentication(data: data)
        let result = try await authenticator.finishAuthentication(userInfo: .init(for: request))
        guard case .userLogin = result else { return "not signed in" }
        let status = try await clinic.status(of: login)
        return "\(data.serviceInformation.name); signed in; \(status)"
    }

    func lockOut() async throws -> String {
        let login = try await clinic.simulator.startLogin(of: "jane", asking: .confirm)
        let challenge = try await clinic.receiveChallenge()
        await user.type("0000")
        var words: [String] = []
        for _ in 0..<3 {
            words.append(
                try await clinic.authenticator.resolve(challenge, with: .approve).words)
        }
        await user.type(PINUser.right)
        let locked = try await clinic.answer(challenge, .approve, login)
        clock.advance(by: await clinic.simulator.configuration.lockouts.duration)
        let after = try await answer(at: clinic) { _ in .approve }
        return "\(words.joined(separator: ", ")); \(locked); \(after)"
    }

    func loseReply() async throws -> String {
        let login = try await clinic.simulator.startLogin(of: "jane", asking: .confirm)
        let challenge = try await clinic.receiveChallenge()
        await clinic.host.loseNextReply()
        let lost = try await clinic.authenticator.resolve(challenge, with: .approve)
        let found = try await clinic.authenticator.resolve(challenge, with: .approve)
        let status = try await clinic.status(of: login)
        return "\(lost.words); \(found.words) after PIN, \(status)"
    }

    func answerOnOne() async throws -> String {
        let login = try await bank.simulator.startLogin(of: "jane", asking: .confirm)
        var asked: [(Station<XignInSimulator>, Challenge.ID)] = []
        for push in await bank.simulator.takePushes() {
            for station in [bank, tablet] where push.deviceToken == station.token {
                for reception in try await station.authenticator.receive(push.message()) {
                    if let id = reception.challenge { asked.append((station, id)) }
                }
            }
        }
        guard let (first, id) = asked.first, let (other, _) = asked.last, asked.count == 2 else {
            return "\(asked.count) asked"
        }
        let said = try await bank.answer(first.authenticator.challenge(id), .approve, login)
        var ends: [Withdrawal.Reason] = []
        for push in await bank.simulator.takePushes() {
            ends += try await other.authenticator.receive(push.message()).compactMap(\.end)
        }
        return "\(said); the other: \(ends.first.map { "\($0)" } ?? "still asked")"
    }

    /// The cancel leaves its mark, and the request that it overtook brings nothing new.
    func cancelFirst() async throws -> String {
        _ = try await clinic.simulator.startLogin(
            of: "jane", asking: .confirm, spoiledBy: .withdrawnFirst)
        let words = try await clinic.receive().map { reception in
            let end = reception.end.map { "\($0)" } ?? "asked"
            return "\(end), \(reception.isNew ? "" : "nothing ")new"
        }
        return words.joined(separator: "; then ")
    }

    func refusal(of bad: XignInSimulator.BadPush) async throws -> String {
        let login = try await clinic.simulator.startLogin(
            of: "jane", asking: .confirm, spoiledBy: bad)
        let push = XignPush(clinic.authenticator, provider: xign)
        var words: [String] = []
        for sent in await clinic.simulator.takePushes() {
            guard let text = try sent.message()["oxrw_msg"]?.string else { continue }
            do {
                let result = try await push.handleMessage(data: ["oxrw": "1", "oxrw_msg": text])
                words.append(result == nil ? "nil" : "taken")
            } catch {
                words.append("\(XignPushHandleMessageErrorCodes.from(errorCode: error.errorCode))")
            }
        }
        return try await "\(words.joined(separator: ", ")), \(clinic.status(of: login))"
    }

    func incompatibility() async throws -> String {
        _ = try await clinic.simulator.startLogin(
            of: "jane", asking: .confirm, spoiledBy: .minimumVersion("2.0.0"))
        guard case .incompatible(let found)? = try await clinic.receive().first?.kind else {
            return "not noticed"
        }
        let tell = found.isIgnorable ? "silent" : "tell the user"
        return "incompatible, needs \(found.minimumVersion ?? "?"), \(tell)"
    }

    /// What Google and Apple can read of a push.
    func readPush() async throws -> String {
        _ = try await clinic.simulator.startLogin(of: "jane", asking: .confirm)
        guard let push = await clinic.simulator.takePushes().first,
            let token = try push.message()["oxrw_msg"]?.string
        else { return "no push" }
        let parts = token.split(separator: ".").dropLast().map { Readable.text(String($0)) }
        let readable = String(decoding: push.payload, as: UTF8.self) + parts.joined()
        let details = ["jane", "Example Shop", "Example GmbH", "12.50", "challenge", "127.0.0.1"]
        let found = details.filter { readable.contains($0) }
        return found.isEmpty ? "nothing of them" : found.joined(separator: ", ")
    }

    func removeToken() async throws -> String {
        try await Personalizer(bank.authenticator, provider: xign)
            .updatePushToken(idmIdentifier: "idm-bank", token: nil)
        _ = try await bank.simulator.startLogin(of: "jane", asking: .confirm)
        let here = await bank.simulator.takePushes().filter { $0.deviceToken == bank.token }
        let other = try await answer(at: clinic) { _ in .approve }
        let rest = other == "taken, logged in" ? "the other manager still pushes" : other
        return "\(here.isEmpty ? "no push" : "\(here.count) pushes"); \(rest)"
    }
}

extension Station<XignInSimulator> {
    fileprivate var token: DeviceToken { .fcm("push-lab-\(device.directory.lastPathComponent)") }
}

extension Reception {
    /// How the challenge ended, if that is what came.
    var end: Withdrawal.Reason? {
        if case .over(let withdrawal) = kind { withdrawal.reason } else { nil }
    }
}

extension ChallengeRecord {
    var isOver: Bool {
        if case .over = state { true } else { false }
    }
}
