import PushCore

extension PlusAuthEnroller {
    /// Whether PlusAuth has taken the enrollment; `false` if that isn't known.
    ///
    /// - Throws: `PushError`. The key pair is gone then, but after `server` with a reply that was in
    ///   no documented form: that is nobody's word, and PlusAuth may have taken the enrollment.
    func isTaken(
        _ request: PlusAuthRequest, _ id: Enrollment.ID
    ) async throws(PushError) -> Bool {
        let reply: PlusAuthRequest.Reply
        do throws(PushError) {
            reply = try await request.reply(over: environment.transport)
        } catch {
            if error.isReplyLost { return false }
            await discard(id)
            throw error
        }
        switch reply {
        case .success:
            return true
        // Trouble on the way to a reply, a gateway's or PlusAuth's own: it may have been taken.
        case .refusal(status: 500..., _), .stranger(status: 500...):
            return false
        case .stranger(let status):
            throw PushError(
                .server(status: status),
                "The reply \(status) doesn't say whether PlusAuth took the enrollment.")
        case .refusal(let status, let word):
            await discard(id)
            throw refusal(status, word)
        }
    }

    /// The key pair goes with the record: nothing is left of it. Why PlusAuth refused is what the
    /// caller hears, even if the store can't forget now.
    private func discard(_ id: Enrollment.ID) async {
        do throws(PushError) {
            try await vault.delete(id)
        } catch {
            provider.observe(
                .refused(error.code), "A refused enrollment couldn't be deleted.", at: id)
        }
    }

    private func refusal(_ status: Int, _ word: ErrorWord) -> PushError {
        let said = word.rawValue
        return switch status {
        case 401:
            PushError(
                .invalidInvitation,
                """
                The parameter "context_token" is used up or expired: reload the login page: \(said).
                """)
        case 409:
            PushError(
                .alreadyEnrolled,
                """
                PlusAuth has this device already: its old credential must be removed first: \(said).
                """)
        default:
            PushError(.server(status: status), "PlusAuth refused the enrollment: \(said).")
        }
    }
}
