import PushCore

/// One of etcd's members, as a client finds it.
struct EtcdMember: Hashable, Sendable {
    let scheme: String
    let authority: String

    /// - Throws: `PushError` with the code `invalidArgument` if it isn't `https://host:port`.
    init(_ url: String) throws(PushError) {
        let parts = url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, ["https:", "http:"].contains(parts[0].lowercased()),
            parts[1].isEmpty
        else { throw Self.unusable }
        var authority = parts[2]
        if authority.hasSuffix("/") { authority.removeLast() }
        guard !authority.isEmpty, !authority.hasPrefix(":"), !authority.hasSuffix(":"),
            authority.utf8.allSatisfy(Self.isAllowed)
        else { throw Self.unusable }
        // An IPv6 address has its colons in brackets.
        let rest = authority.split(separator: "]", omittingEmptySubsequences: false).last
        let hasPort = rest?.contains(":") ?? false
        scheme = String(parts[0].lowercased().dropLast())
        self.authority = hasPort ? String(authority) : "\(authority):2379"
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._[]:".utf8.contains(byte)
        }
    }

    private static let unusable = PushError(
        .invalidArgument,
        "A member of etcd is given as https://host:2379, or http, without a user and a path.")
}

/// Which member is asked, with which token, and what is known of the cluster: shared by all that use one
/// store value.
actor EtcdMembers {
    private let members: [EtcdMember]
    private var current: Int
    private var token: String?
    private var authentication: Task<Result<String, PushError>, Never>?
    private var cluster: UInt64?
    private var newest: [UInt64]
    /// While members contradict each other: whether each said as much as any did before.
    private var votes: [Int: Bool] = [:]
    private var outvoted: Set<Int> = []

    init(_ members: [EtcdMember], startingAt first: Int) {
        self.members = members
        current = first % members.count
        newest = members.map { _ in 0 }
    }

    /// The member to ask.
    var choice: (index: Int, member: EtcdMember) { (current, members[current]) }

    /// Goes on to the next member, unless someone did so already.
    func leave(_ index: Int) {
        if current == index { current = (index + 1) % members.count }
    }

    // MARK: The token

    /// A token to send.
    ///
    /// - Parameters:
    ///   - old: One that isn't valid any more.
    ///   - authenticate: Gets a new one. Of several who want one at once, one asks.
    /// - Returns: The token.
    /// - Throws: What `authenticate` throws.
    func token(
        besides old: String?,
        _ authenticate: @escaping @Sendable () async throws(PushError) -> String
    ) async throws(PushError) -> String {
        if let token, token != old { return token }
        let task =
            authentication
            ?? Task { await Result { () async throws(PushError) in try await authenticate() } }
        authentication = task
        let result = await task.value
        if authentication == task {
            authentication = nil
            token = try? result.get()
        }
        return try result.get()
    }

    // MARK: The cluster

    /// The newest revision that each member has said, 0 for one that the others have outvoted.
    var revisions: [UInt64] { newest.enumerated().map { outvoted.contains($0) ? 0 : $1 } }

    /// Notes what a reply says of the cluster.
    ///
    /// Every read and write is linearizable, so that no member can say less than any said before. If one
    /// does, one of them is wrong, or an older state was restored: all are asked until more than half
    /// say the same. The member that said more is asked as well: if it has gone back, too, the state has.
    ///
    /// - Parameters:
    ///   - reply: The reply.
    ///   - index: Whose it is.
    ///   - floors: ``revisions`` before it was asked for.
    /// - Returns: Whether the reply counts; else the next member is to be asked.
    /// - Throws: `PushError` with the code `storage` if it isn't the cluster that it was.
    func note(
        _ reply: EtcdReply, from index: Int, since floors: [UInt64]
    ) throws(PushError) -> Bool {
        guard cluster == nil || cluster == reply.cluster else {
            throw PushError(
                .storage,
                "\(members[index].authority) is of another etcd cluster than the members asked before: "
                    + "give the store the members of one. If the cluster was restored from a snapshot, "
                    + "decisions may be lost; start again once you know which.")
        }
        guard !outvoted.contains(index) else { return false }
        guard reply.revision >= floors[index] else {
            throw PushError(
                .storage,
                "etcd's revision went back from \(floors[index]) to \(reply.revision): an older state "
                    + "was restored, and decisions may be lost. Start again once you know which.")
        }
        cluster = reply.cluster
        newest[index] = max(newest[index], reply.revision)
        let floor =
            floors.enumerated().filter { !outvoted.contains($0.offset) }
            .map(\.element).max() ?? 0
        if votes.isEmpty, reply.revision >= floor { return true }
        votes[index] = reply.revision >= floor
        return settle(index)
    }

    /// - Returns: Whether more than half say what this member says, and those that said more were asked.
    private func settle(_ index: Int) -> Bool {
        let (high, low) = (votes.filter(\.value), votes.filter { !$0.value })
        let revisions = revisions
        let claimed = revisions.max()
        let areAsked = revisions.indices.allSatisfy { revisions[$0] != claimed || votes[$0] != nil }
        if high.count > members.count / 2 {
            outvoted.formUnion(low.keys)
        } else if low.count > members.count / 2, areAsked {
            outvoted.formUnion(high.keys)
        } else {
            return false
        }
        votes = [:]
        return !outvoted.contains(index)
    }
}
