import PushCore

/// What a server lists as waiting: it has exactly what the server still takes an answer for.
struct ServerList {
    /// The challenges that are genuine, oldest first.
    var announcements: [Announcement] = []

    /// Whether no entry was left out.
    var isComplete = true

    /// What a list says of one challenge.
    enum Say {
        case listed(Announcement)
        /// It's over; the server doesn't say why.
        case unlisted
        /// An entry that couldn't be read may have been this one.
        case unknown
    }

    func say(of id: Challenge.ID) -> Say {
        if let found = announcements.first(where: { $0.notice.id == id }) { return .listed(found) }
        return isComplete ? .unlisted : .unknown
    }
}

/// What asks servers for their lists.
struct ServerLists {
    let calls: ServerCalls
    let tokens: Tokens
    let verifier: ChallengeVerifier

    /// The list of an enrollment's server.
    ///
    /// An entry that isn't genuine is left out and reported; the others count all the same.
    ///
    /// - Returns: The entries that are genuine.
    /// - Throws: `PushError` with the code `listRefused` if the server lets nobody poll; else as the
    ///   exchange does.
    func list(of account: Account) async throws(PushError) -> ServerList {
        let token = try await tokens.token(of: account)
        let reply = try await calls.poll(account)
        guard case .value(.array(let entries), _) = reply.word else {
            if reply.refusal?.isOfPolicy == true {
                throw PushError(.listRefused, "The server lets nobody poll for this token.")
            }
            let error = reply.unexpected("a list of challenges")
            throw PushError(error.code, error.reason, underlying: reply.refusal)
        }
        var list = ServerList()
        for entry in entries {
            do throws(PushError) {
                list.announcements.append(
                    try verifier.announcement(listed: entry, for: token))
            } catch {
                list.isComplete = false
                calls.environment.observer.observe(
                    PushObservation(
                        .refused(error.code), "An entry of a server's list was refused.",
                        provider: calls.provider, enrollment: account.id))
            }
        }
        return list
    }
}
