import HTTPTypes
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a realm lists as waiting for an enrollment.
struct ChallengeList {
    /// The entries that could be read, as they came.
    var entries: [ListedChallenge] = []

    /// Whether no entry was left out.
    var isComplete = true

    func entry(_ name: String) -> ListedChallenge? {
        entries.first { $0.name.hasSameBytes(as: name) }
    }
}

/// What asks realms for their lists.
struct ChallengeLists: Sendable {
    let calls: DeviceCalls

    /// The list of an enrollment's realm.
    ///
    /// An entry that can't be read, or is another user's, is left out and reported; the others count
    /// all the same.
    ///
    /// - Parameters:
    ///   - account: The enrollment.
    ///   - isRefresh: Whether the app wants to know the enrollment's state.
    /// - Returns: The list.
    /// - Throws: `PushError` with the code `unknownEnrollment` if the realm no longer knows the
    ///   device; else as the exchange does.
    func list(
        of account: Account, isRefresh: Bool = false
    ) async throws(PushError) -> ChallengeList {
        let subject = try account.credential(as: KeycloakCredential.self).subject
        var call = DeviceCall(.get, "/login/pending", .none)
        call.query = FormText([("userId", subject)])
        let reply = try await calls.reply(to: call, of: account)
        guard let entries = reply.entries else {
            throw reply.unexpected("a list of challenges")
        }
        var list = ChallengeList()
        for entry in entries {
            do throws(PushError) {
                list.entries.append(try ListedChallenge(entry, of: subject))
            } catch {
                list.isComplete = false
                calls.environment.observer.observe(
                    PushObservation(
                        .refused(error.code), "An entry of a realm's list was refused.",
                        provider: calls.provider, enrollment: account.id))
            }
        }
        try await note(list, of: account, isRefresh)
        return list
    }

    /// Whoever gets a list is enrolled; a user who is locked out has nothing new to answer.
    private func note(
        _ list: ChallengeList, of account: Account, _ isRefresh: Bool
    ) async throws(PushError) {
        let state = account.enrollment.state
        let lockout = try account.credential(as: KeycloakCredential.self).lockout ?? 0
        let isUnlocked = list.entries.contains { entry in
            isRefresh || (entry.created?.timeIntervalSince1970 ?? 0) > Double(lockout)
        }
        guard
            [.needsReenrollment, .pending(.unconfirmed)].contains(state)
                || state.isLockedOut && isUnlocked
        else { return }
        try await account.change { (credential: inout KeycloakCredential, enrollment) in
            credential.lockout = nil
            enrollment.state = .active
        }
    }
}

/// An entry of a realm's list.
struct ListedChallenge: Sendable {
    /// The challenge's name, `cid`.
    let name: String
    let userID: String
    let username: String?
    let clientID: String
    let clientName: String?
    let created: Date?
    let expiry: Date
    let verification: UserVerification

    /// Reads an entry.
    ///
    /// - Throws: `PushError` with the code `untrusted` if it is another user's, `malformed` if it
    ///   can't be read.
    init(_ json: JSON, of subject: String) throws(PushError) {
        guard let members = json.object else {
            throw PushError(.malformed, "An entry isn't an object.")
        }
        userID = try members.required("userId") { $0.string }
        guard userID.hasSameBytes(as: subject) else {
            throw PushError(.untrusted, "An entry is another user's.")
        }
        name = try members.required("cid") { $0.string.flatMap { UUIDText.isValid($0) ? $0 : nil } }
        username = try members.optional("username") { $0.string }
        clientID = try members.required("clientId") { $0.string.flatMap { $0.isEmpty ? nil : $0 } }
        clientName = try members.optional("clientName") { $0.string }
        created = try members.optional("createdAt", Self.time)
        expiry = try members.required("expiresAt", Self.time)
        verification = UserVerification(listed: members["userVerification"])
    }

    private static func time(_ json: JSON) -> Date? {
        json.integer.flatMap(UnixTime.checked).map { Date(timeIntervalSince1970: Double($0)) }
    }

    /// What the user logs in to: its name, or its identifier where it has none.
    var application: String {
        clientName.flatMap { DisplayText.isBlank($0) ? nil : $0 } ?? clientID
    }

    /// Whether user and application are there, and all that can be seen of them is shown.
    private var isShownWhole: Bool {
        guard let username, !DisplayText.isBlank(username), !DisplayText.isBlank(application) else {
            return false
        }
        return DisplayText.showsAll(of: application, as: DisplayText.sanitized(application, .title))
            && DisplayText.showsAll(of: username, as: DisplayText.sanitized(username, .body))
    }

    /// What the entry says of the question.
    var context: ChallengeContext {
        var context = ChallengeContext()
        context.question = verification
        context.isShownWhole = isShownWhole
        return context
    }

    func announcement(of id: Enrollment.ID) -> Announcement {
        Announcement(
            Notice(
                id: Challenge.ID(name, of: id), issued: created, expiry: expiry, proof: .fetched),
            context: context.sealed)
    }
}
