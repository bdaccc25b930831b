import CryptoExtras
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PrivacyIDEASimulator {
    /// Lists what the server still takes an answer for, oldest first.
    ///
    /// In which order time, policy and signature are looked at is UNCONFIRMED.
    func poll(_ fields: RequestFields) throws(Refusal) -> Success {
        let serial = try fields.required("serial")
        let timestamp = try fields.required("timestamp")
        let signature = try fields.required("signature")
        try checkTime(timestamp, within: 60)
        guard let token = tokens[serial] else { throw .notVerified }
        guard let keys = token.keys else { throw .internalError }
        try checkPolicy(for: token)
        guard try verifies(signature, over: "\(serial)|\(timestamp)", by: keys.device) else {
            throw .notVerified
        }
        var listed: [JSON] = []
        for challenge in token.challenges where isTakingAnswers(challenge) {
            let fields = try? self.fields(of: challenge, token, for: fields)
            guard let fields else { throw .internalError }
            listed.append(.object(fields))
        }
        return Success(value: .array(listed))
    }

    /// Takes another device token, or the word for none. The server doesn't check the order of updates.
    func updateToken(_ fields: RequestFields) throws(Refusal) -> Success {
        let deviceToken = try fields.required("new_fb_token")
        let serial = try fields.required("serial")
        let timestamp = try fields.required("timestamp")
        let signature = try fields.required("signature")
        try checkTime(timestamp, within: 300)
        guard let token = tokens[serial] else { throw .notVerified }
        guard let keys = token.keys else { throw .internalError }
        let text = "\(deviceToken)|\(serial)|\(timestamp)"
        guard try verifies(signature, over: text, by: keys.device) else { throw .notVerified }
        tokens[serial]?.deviceToken = deviceToken
        return Success(value: true)
    }

    /// Whether a challenge is open and in time.
    func isTakingAnswers(_ challenge: PushChallenge) -> Bool {
        challenge.state == .open && configuration.now <= challenge.expiry
    }

    /// Whether a signature in Base32 is a device's.
    ///
    /// - Throws: `Refusal` with the status 500 if the stored key can't be read.
    func verifies(
        _ signature: String, over text: String, by key: StoredKey
    ) throws(Refusal) -> Bool {
        guard case .usable(let key) = key else { throw .internalError }
        guard let bytes = ServerBase32.decode(signature) else { return false }
        return key.isValidSignature(
            _RSA.Signing.RSASignature(rawRepresentation: bytes), for: Data(text.utf8),
            padding: .insecurePKCS1v1_5)
    }

    private func checkTime(_ text: String, within seconds: Double) throws(Refusal) {
        guard let date = Calendar.date(iso8601: text),
            abs(date.timeIntervalSince(configuration.now)) <= seconds
        else { throw .wrongTime }
    }

    private func checkPolicy(for token: PushToken) throws(Refusal) {
        switch configuration.polling {
        case .allow: break
        case .token where token.mayPoll: break
        case .deny, .token: throw .pollingForbidden
        }
    }
}
