import PushCore

struct XignInResolver: Resolver {
    let provider: XignIn

    func challenge(for announcement: Announcement) async throws(PushError) -> Challenge {
        throw PushError(.unsupported, "Not written yet.")
    }
    func prepare(_ decision: Decision) async throws(PushError) -> Answer {
        throw PushError(.unsupported, "Not written yet.")
    }
    func send(
        _ answer: Answer, for announcement: Announcement, again: Bool
    ) async throws(PushError) -> Outcome { throw PushError(.unsupported, "Not written yet.") }
}
