import PushCore

struct AcmeResolver: Resolver {
    let acme: Acme

    // snippet: challenge
    func challenge(
        for announcement: inout Announcement, of account: Account
    ) async throws(PushError) -> Challenge {
        let prompt = try Secret.Record(reading: announcement.context).fields["prompt"]
        return Challenge(
            for: announcement.notice,
            prompt: prompt == "confirm" ? .approve : .denyOnly("Its prompt is unknown."),
            context: announcement.context)
    }
    // end snippet

    // snippet: prepare
    func prepare(_ decision: Decision, of account: Account) async throws(PushError) -> Signing {
        let name = decision.announcement.notice.id.name
        let isYes = decision.resolution == .approve && decision.challenge?.prompt == .approve
        guard isYes || decision.resolution.isDenial else {
            throw PushError(.unsupported, "Not one of Acme's answers.")
        }
        let claims: JSON = ["do": "answer", "challenge": .string(name), "approve": .bool(isYes)]
        let link: AcmeLink = try account.credential()
        return Signing(Answer(link.signed(claims), kept: .whole))
    }
    // end snippet

    // snippet: send
    func send(
        _ answer: Answer, for announcement: inout Announcement, of account: Account, again: Bool
    ) async throws(PushError) -> Outcome {
        // `again` changes nothing here: Acme takes a second copy of an answer as that answer.
        switch try await acme.post(answer.bytes, to: account.credential()) {
        case 200: return .delivered
        case 409: return .answeredElsewhere
        case 410: return .expired
        case let status: throw PushError(.server(status: status), "It says nothing of the answer.")
        }
    }
    // end snippet
}
