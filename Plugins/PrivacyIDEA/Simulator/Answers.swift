import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PrivacyIDEASimulator {
    /// Takes a signed yes, choice or no. All that is wrong with one is told by the one word `false`.
    ///
    /// A nonce that is there must be the challenge's; without one the challenge is found by the
    /// signature. That a blocked user's answer isn't verified first is UNCONFIRMED.
    func answer(_ fields: RequestFields) throws(Refusal) -> Success {
        let serial = try fields.required("serial")
        let signature = try fields.required("signature")
        if configuration.generation.needsNonce { _ = try fields.required("nonce") }
        guard let token = tokens[serial] else { throw .noToken }
        guard let keys = token.keys, case .usable = keys.device,
            ServerBase32.decode(signature) != nil
        else { throw .internalError }
        guard !blockedUsers.contains(token.user) else { return blocked }
        for (index, challenge) in token.challenges.enumerated()
        where isCandidate(challenge, for: fields) {
            let text = signedText(of: fields, for: challenge, serial)
            guard try verifies(signature, over: text, by: keys.device) else { continue }
            return decide(fields, at: index, of: serial, challenge)
        }
        return Success(value: false)
    }

    private var blocked: Success {
        var success = Success(value: false)
        if let message = configuration.blockedMessage {
            success.detail = JSON.Object([("message", .string(message)), Success.thread])
        }
        return success
    }

    /// Before 3.14 every challenge that is still there takes answers, whatever became of it.
    private func isCandidate(_ challenge: PushChallenge, for fields: RequestFields) -> Bool {
        guard fields["nonce"].map({ $0 == challenge.nonce }) ?? true else { return false }
        return !configuration.generation.answersOnce || isTakingAnswers(challenge)
    }

    private func isNo(_ fields: RequestFields) -> Bool {
        ["1", "true"].contains(fields["decline"])
    }

    private func signedText(
        of fields: RequestFields, for challenge: PushChallenge, _ serial: String
    ) -> String {
        var parts = [challenge.nonce, serial]
        if isNo(fields) {
            parts.append("decline")
            if configuration.generation.hasCapabilities, let reason = fields["decline_reason"] {
                parts.append(reason)
            }
        } else if let option = fields["presence_answer"] {
            parts.append(option)
        }
        return parts.joined(separator: "|")
    }

    private func decide(
        _ fields: RequestFields, at index: Int, of serial: String, _ challenge: PushChallenge
    ) -> Success {
        var challenge = challenge
        if isNo(fields) {
            guard configuration.generation.remembersNo else { return Success(value: true) }
            if challenge.state == .open {
                let isCancelled =
                    configuration.generation.hasCapabilities
                    && fields["decline_reason"] == "cancelled"
                challenge.state = isCancelled ? .cancelled : .declined
            }
            tokens[serial]?.challenges[index] = challenge
            return Success(value: true)
        }
        guard challenge.rightOption == nil || fields["presence_answer"] == challenge.rightOption
        else { return Success(value: false) }
        if case .accepted = challenge.state {
        } else {
            challenge.state = .accepted(configuration.now)
        }
        var success = Success(value: true)
        if challenge.wantsCode {
            let code = newCode()
            challenge.code = code
            success.detail = JSON.Object([
                ("display_code", .string(code)), ("message", .string(configuration.codeMessage)),
                Success.thread,
            ])
        }
        tokens[serial]?.challenges[index] = challenge
        return success
    }
}
