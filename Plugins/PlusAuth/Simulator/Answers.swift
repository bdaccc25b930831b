import PushCore
import PushJOSE
import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PlusAuthSimulator {
    /// An answer that the server has taken.
    public struct ReceivedAnswer: Hashable, Sendable {
        /// What the device chose.
        @nonexhaustive
        public enum Choice: Hashable, Sendable {
            /// `response` `accepted`.
            case accepted
            /// `response` `rejected`, or for a code `reject_reason` alone.
            case rejected
            /// `selected_value`, exactly as it came.
            case selected(String)
        }

        /// What the device chose.
        public let choice: Choice

        /// `reject_reason`: `ignore` or `fraud_suspicion`. What the real server does with either
        /// is UNCONFIRMED.
        public let rejectReason: String?

        /// The credential that signed it.
        public let credential: RegisteredDevice.ID
    }

    /// Takes a device's answer.
    func resolve(bearer: String, _ fields: JSON.Object) throws(Rejection) -> ServerReply {
        guard let token = tokens[bearer], let login = logins[token.login] else {
            guard openInvitations[bearer] == nil else {
                throw .unauthorized("invalid_audience", "The token is for an enrollment.")
            }
            throw .unauthorized("unauthorized_user", "The token is unknown.")
        }
        guard let answer = fields["context"]?.string,
            let device = fields["device_identifier"]?.string
        else { throw .invalidEntity("There is no context or no device_identifier.") }
        let index = try credential(device, for: token)
        let credential = credentials[index]
        if login.end != nil {
            let isOwn = login.answers.contains { $0.credential == credential.id }
            let late = configuration.lateAnswers
            throw .late(isOwn ? late.used : late.elsewhere)
        }
        guard configuration.clock.now < token.expiry else {
            throw .late(configuration.lateAnswers.expired)
        }
        let claims = try verified(answer, by: credential)
        let choice = try Self.choice(in: claims, to: login)
        if let identifier = claims["jti"]?.string { credentials[index].answers.insert(identifier) }
        logins[token.login]?.answers.append(
            ReceivedAnswer(
                choice: choice, rejectReason: claims["reject_reason"]?.string,
                credential: credential.id))
        logins[token.login]?.end = Self.end(by: choice, of: login)
        return .success
    }

    /// The credential that a token was issued for and that has a device's identifier.
    private func credential(
        _ device: String, for token: IssuedToken
    ) throws(Rejection) -> Int {
        let indices = credentials.indices.filter { token.credentials.contains(credentials[$0].id) }
        guard !indices.isEmpty else { throw .notFound }
        guard
            let index = indices.first(where: { credentials[$0].device.deviceIdentifier == device })
        else { throw .unauthorized("unauthorized_user", "The token is another device's.") }
        return index
    }

    private func verified(
        _ answer: String, by credential: PushCredential
    ) throws(Rejection) -> JSON.Object {
        let jwt: VerifiedJWT
        do throws(PushError) {
            jwt = try UnverifiedJWT(parsing: answer).verified(by: credential.publicKey)
        } catch {
            throw .invalidEntity(error.reason)
        }
        guard jwt.header.type.map({ $0.lowercased() == "jwt" }) ?? true else {
            throw .invalidEntity("The answer's typ isn't JWT.")
        }
        try checkTimes(of: jwt.claims)
        guard configuration.requiresFreshAnswer else { return jwt.claims }
        guard jwt.claims["iat"] != nil, jwt.claims["exp"] != nil,
            let identifier = jwt.claims["jti"]?.string
        else { throw .invalidEntity("The answer lacks iat, exp or jti.") }
        guard !credential.answers.contains(identifier) else {
            throw .invalidEntity("The answer was given before.")
        }
        return jwt.claims
    }

    /// Times are optional, but what is there has to be right (RFC 7519, section 4.1).
    private func checkTimes(of claims: JSON.Object) throws(Rejection) {
        let now = configuration.clock.now.timeIntervalSince1970
        if let expiry = claims["exp"] {
            guard let expiry = expiry.double, now < expiry else {
                throw .invalidEntity("The answer has expired.")
            }
        }
        if let issued = claims["iat"] {
            guard let issued = issued.double, issued <= now + 60 else {
                throw .invalidEntity("The answer is from the future.")
            }
        }
    }

    /// Reads the claims that fit what was asked, and no others of the protocol.
    private static func choice(
        in claims: JSON.Object, to login: Login
    ) throws(Rejection) -> ReceivedAnswer.Choice {
        for name in ["context_token", "resolve_url", "type", "values"] where claims[name] != nil {
            throw .invalidEntity("The answer is a push.")
        }
        let reason = claims["reject_reason"]
        let isReason = ["ignore", "fraud_suspicion"].contains(reason?.string)
        guard reason == nil || isReason else { throw .invalidEntity("The reason is unknown.") }
        let (response, value) = (claims["response"], claims["selected_value"])
        switch login.strategy {
        case .prompt where value == nil && response == "accepted" && reason == nil:
            return .accepted
        case .prompt where value == nil && response == "rejected" && isReason:
            return .rejected
        case .code where response == nil && value == nil && isReason:
            return .rejected
        case .code where response == nil && reason == nil:
            guard let value = value?.string else { break }
            return .selected(value)
        default: break
        }
        throw .invalidEntity("The answer's claims don't fit the challenge.")
    }

    private static func end(
        by choice: ReceivedAnswer.Choice, of login: Login
    ) -> SimulatedLogin.Status {
        switch choice {
        case .accepted: .approved
        case .rejected: .denied
        case .selected(let value): value == login.shown ? .approved : .failed
        }
    }
}
