import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct ForgeRockResolver: Resolver {
    let transport: any Transport
    let policies: [DevicePolicy]

    func challenge(
        for announcement: inout Announcement, of account: Account
    ) async throws(PushError) -> Challenge {
        let claims = try announcement.note.claims
        let content = NotificationContent(claims)
        let shown = ShownContent(claims)
        return Challenge(
            for: announcement.notice, prompt: prompt(content, shown),
            content: Challenge.Content(
                fields: shown.fields, origin: content.origin, details: content),
            verification: content.pushType == .biometric
                ? [[.biometry], [.deviceCredential]] : [],
            context: announcement.context)
    }

    private func prompt(
        _ content: NotificationContent, _ shown: ShownContent
    ) -> Challenge.Prompt {
        if let obstacle = shown.obstacle { return .denyOnly(obstacle) }
        guard content.pushType == .challenge else { return .approve }
        let numbers = content.numbersChallengeArray
        return numbers.isEmpty ? .enter(digits: 2) : .choose(numbers.map(String.init))
    }

    func prepare(
        _ decision: Decision, of account: Account
    ) async throws(PushError) -> Signing {
        let context = try decision.announcement.note
        let kept: ForgeRockCredential = try account.credential()
        try await policies.requireCompliance(with: kept)
        if !decision.resolution.isDenial, let obstacle = ShownContent(context.claims).obstacle {
            throw PushError(.unsupported, "It can only be denied: \(obstacle)")
        }
        let secret = try kept.sharedSecret
        var claims: JSON.Object = [
            "response": .string(
                ChallengeResponse.text(for: context.claims.challenge, with: secret))
        ]
        switch (decision.resolution, context.claims.kind) {
        // AM takes any value of the claim for a denial, so it must be absent from a yes.
        case (.deny, _): claims["deny"] = true
        case (.approve, .known(.default)), (.approve, .known(.biometric)): break
        // Without the number AM up to 8.0.2 would let the user in unchecked.
        case (.choose(let text), .known(.challenge)), (.enter(let text), .known(.challenge)):
            claims["challengeResponse"] = .string(try number(text))
        case (.approve, _), (.choose, _), (.enter, _):
            throw PushError(.invalidResolution, "The push asks for another kind of answer.")
        }
        let body = AnswerBody(
            messageID: context.messageID,
            token: try AMToken.signed(claims, with: secret))
        return Signing(Answer(body.sealed, kept: .whole))
    }

    func send(
        _ answer: Answer, for announcement: inout Announcement, of account: Account,
        again: Bool
    ) async throws(PushError) -> Outcome {
        let id = announcement.notice.id
        let claims = try announcement.note.claims
        let kept: ForgeRockCredential = try account.credential()
        let endpoint = try kept.authenticationEndpoint
        let body = try AnswerBody(answer)
        // One answer under each identifier that came with the challenge, as nobody knows which is
        // AM's. Under a wrong one AM takes nothing.
        var trouble: PushError?
        var rest = body.ids(besides: kept.seen.ids(of: id.name))
        var tried: [String] = []
        while !rest.isEmpty {
            let messageID = rest.removeFirst()
            tried.append(messageID)
            // The push's own cookie: another node than the enrollment's may have sent it.
            let request = AMRequest(
                endpoint, cookie: claims.cookie, body: body.bytes(under: messageID))
            let reply: AMReply
            do throws(PushError) {
                reply = try await request.reply(over: transport)
            } catch {
                throw trouble ?? error
            }
            if reply.isSuccess { return .delivered }
            switch reply.refusal {
            case .badRequest?:
                guard rest.isEmpty, trouble == nil else { continue }
                // A copy may have come meanwhile.
                try await account.reload()
                let newest: ForgeRockCredential = try account.credential()
                rest = body.ids(besides: newest.seen.ids(of: id.name))
                    .filter { !tried.contains($0) }
                continue
            // A repeat that finds no service says nothing of the first copy.
            case .noPushService? where !again && trouble == nil:
                return .notTaken(.init(.unavailable, mayRetry: true, status: reply.status))
            default: trouble = trouble ?? unexplained(reply)
            }
            // It asked not to be asked.
            if reply.status == 429 || reply.status == 503 { break }
        }
        if let trouble { throw trouble }
        return refused(isNumber: claims.kind == .known(.challenge), again: again)
    }

    /// AM has one 400 for everything, from 8.1 on for a wrong number as well.
    ///
    /// A repeat that isn't taken says nothing of the first copy, which AM may have. The challenge
    /// must not open again then: AM would take another decision, too, and the last one wins there.
    private func refused(isNumber: Bool, again: Bool) -> Outcome {
        again
            ? .unknown("AM took an earlier copy, or the challenge was over (400).")
            : .notTaken(.init(.wrongChoiceOrOver, mayRetry: isNumber, status: 400))
    }

    /// A gateway's word, or trouble: it doesn't say what AM did, whatever its status is.
    private func unexplained(_ reply: AMReply) -> PushError {
        PushError(
            .server(status: reply.status), "The reply \(reply.status) doesn't say what AM did.")
    }

    /// Decimal text without sign and leading zeros: AM fails on anything but an integer.
    private func number(_ text: String) throws(PushError) -> String {
        guard text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int32(text) else {
            throw PushError(.invalidResolution, "The answer is not a number.")
        }
        return String(number)
    }
}
