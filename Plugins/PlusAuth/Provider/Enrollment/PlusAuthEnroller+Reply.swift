import PushCore

extension PlusAuthEnroller {
    /// Whether PlusAuth has taken the enrollment; `false` if that isn't known.
    func isTaken(
        _ request: PlusAuthRequest, _ id: Enrollment.ID
    ) async throws(PushError) -> Bool {
        do throws(PushError) {
            let (status, word) = try await request.reply(over: environment.transport)
            switch status {
            case 200..<300: return true
            // Trouble on the way to a reply, a gateway's or PlusAuth's own: it may have been taken.
            case 500...: return false
            default: throw refusal(status, word)
            }
        } catch {
            if error.isReplyLost { return false }
            // The key pair goes with the record: nothing is left of it.
            await discard(id)
            throw error.of(provider.id)
        }
    }

    /// Why PlusAuth refused is what the caller hears, even if the store can't forget now.
    private func discard(_ id: Enrollment.ID) async {
        do throws(PushError) {
            try await vault.delete(id)
        } catch {
            provider.observe(
                .refused(error.code), "A refused enrollment couldn't be deleted.", at: id)
        }
    }

    private func refusal(_ status: Int, _ word: ErrorWord?) -> PushError {
        let said = word.map { ": \($0.rawValue)." } ?? "."
        return switch status {
        case 401:
            error(
                .invalidInvitation,
                "The parameter \"context_token\" is used up or expired: reload the login page\(said)"
            )
        case 409:
            error(
                .alreadyEnrolled,
                "PlusAuth has this device already: its old credential must be removed first\(said)")
        default:
            error(.server(status: status), "PlusAuth refused the enrollment\(said)")
        }
    }
}
