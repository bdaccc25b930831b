import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct ForgeRockResolver: Resolver {
    let provider: ForgeRock

    func challenge(for announcement: Announcement) async throws(PushError) -> Challenge {
        let claims = try ChallengeContext(announcement).claims
        let content = NotificationContent(claims)
        let prompt: Challenge.Prompt =
            switch content.pushType {
            case .default, .biometric: .approve
            case .challenge:
                if content.numbersChallengeArray.isEmpty {
                    .enter(digits: 2)
                } else {
                    .choose(content.numbersChallengeArray.map(String.init))
                }
            case nil: .denyOnly("Its type is unknown.")
            }
        return Challenge(
            for: announcement.notice, prompt: prompt,
            content: Challenge.Content(origin: content.origin, details: content),
            verification: content.pushType == .biometric ? [[.biometry], [.deviceCredential]] : [],
            context: announcement.context)
    }

    func prepare(_ decision: Decision) async throws(PushError) -> Answer {
        let announcement = decision.announcement
        let context = try ChallengeContext(announcement)
        let credential = try await provider.vault.existing(announcement.notice.id.enrollment)
        let kept = try ForgeRockCredential(credential.secret)
        if let policy = await provider.configuration.policies.firstViolated(of: kept.policies) {
            throw PushError(
                .blocked, "The device doesn't meet the policy \(policy).", provider: provider.id)
        }
        var claims: JSON.Object = [
            "response": .string(
                ChallengeResponse.text(for: context.claims.challenge, with: kept.sharedSecret))
        ]
        switch (decision.resolution, context.claims.kind) {
        // AM takes any value of the claim for a denial, so it must be absent from a yes.
        case (.deny, _): claims["deny"] = true
        case (.approve, .known(.default)), (.approve, .known(.biometric)): break
        // Without the number AM up to 8.0.2 would let the user in unchecked.
        case (.choose(let text), .known(.challenge)), (.enter(let text), .known(.challenge)):
            claims["challengeResponse"] = .string(try number(text))
        default:
            throw PushError(
                .invalidResolution, "The push asks for another kind of answer.",
                provider: provider.id)
        }
        let body: JSON = [
            "messageId": .string(context.messageID),
            "jwt": .string(try AMToken.signed(claims, with: kept.sharedSecret)),
        ]
        return Answer(Secret(body.utf8), kept: .bytes)
    }

    func send(
        _ answer: Answer, for announcement: Announcement, again: Bool
    ) async throws(PushError) -> Outcome {
        let claims = try ChallengeContext(announcement).claims
        let credential = try await provider.vault.existing(announcement.notice.id.enrollment)
        let endpoint = try ForgeRockCredential(credential.secret).authenticationEndpoint
        // The push's own cookie: another node than the enrollment's may have sent it.
        let request = AMRequest(
            endpoint, cookie: claims.cookie, body: answer.bytes.withBytes { Data($0) })
        let status: Int
        do throws(PushError) {
            status = try await request.status(over: provider.environment.transport)
        } catch {
            throw error.of(provider.id)
        }
        return try outcome(of: status, isNumber: claims.kind == .known(.challenge), again: again)
    }

    /// AM has one 400 for everything, from 8.1 on for a wrong number as well.
    ///
    /// A repeat that isn't taken says nothing of the first copy, which AM may have. The challenge
    /// must not open again then: AM would take another decision, too, and the last one wins there.
    private func outcome(
        of status: Int, isNumber: Bool, again: Bool
    ) throws(PushError) -> Outcome {
        switch status {
        case 200..<300:
            return .delivered
        case 400 where again:
            return .unknown("AM took an earlier copy, or the challenge was over (400).")
        case 400:
            return .notTaken(.init(.wrongChoiceOrOver, mayRetry: isNumber, status: status))
        case 404 where !again:
            return .notTaken(.init(.unavailable, mayRetry: true, status: status))
        default:
            // A gateway's word, or trouble: AM's push service says nothing else of an answer.
            throw PushError(
                .server(status: status), "The reply \(status) doesn't say what AM did.",
                provider: provider.id)
        }
    }

    /// Decimal text without sign and leading zeros: AM fails on anything but an integer.
    private func number(_ text: String) throws(PushError) -> String {
        guard text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int32(text) else {
            throw PushError(
                .invalidResolution, "The answer is not a number.", provider: provider.id)
        }
        return String(number)
    }
}
