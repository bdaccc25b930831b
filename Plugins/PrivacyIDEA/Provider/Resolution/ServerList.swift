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
        case unsaid
    }

    func say(of id: Challenge.ID) -> Say {
        if let found = announcements.first(where: { $0.notice.id == id }) { return .listed(found) }
        return isComplete ? .unlisted : .unsaid
    }
}

extension ServerCalls {
    /// The list of an enrollment's server.
    ///
    /// An entry that isn't genuine is left out and reported; the others count all the same.
    ///
    /// - Parameters:
    ///   - id: The enrollment.
    ///   - again: Whether to ask a server that has said since the app started that nobody may poll.
    /// - Returns: The entries that are genuine.
    /// - Throws: `PushError` with the code `server` (status 403) if the server lets nobody poll; else
    ///   as the exchange does.
    func list(
        for id: Enrollment.ID, evenIfRefused again: Bool = false
    ) async throws(PushError) -> ServerList {
        let isRefused = await provider.refusals.contains(id)
        guard again || !isRefused else {
            throw PushError(.server(status: 403), "The server lets nobody poll, it has said.")
        }
        let token = try await provider.token(id)
        let reply = try await poll(id, token.credential)
        guard case .value(.array(let entries), _) = reply.word else {
            if reply.refusal?.isOfPolicy == true {
                await provider.refusals.note(id, isRefused: true)
            }
            throw reply.unexpected("a list of challenges")
        }
        await provider.refusals.note(id, isRefused: false)
        let verifier = ChallengeVerifier(provider: provider)
        var list = ServerList()
        for entry in entries {
            do throws(PushError) {
                list.announcements.append(
                    try verifier.announcement(listed: entry, for: token))
            } catch {
                list.isComplete = false
                provider.environment.observer.observe(
                    Observation(
                        .refused(error.code), "An entry of a server's list was refused.",
                        provider: provider.id, enrollment: id))
            }
        }
        return list
    }
}
