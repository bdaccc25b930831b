public import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// XignIn's sign-ins by push, over the vendor's own engine or another wire format.
///
/// A push says little, and is signed by a key that was pinned when the device was personalized. The
/// plugin fetches the question when the user opens it, and from then on the process is this
/// device's.
public struct XignIn: PushProvider {
    /// The name of this instance.
    public let id: ProviderID

    /// What the app has chosen.
    package let configuration: Configuration

    let access: XignInAccess

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: The name of this instance; it must not change between releases of an app.
    ///   - configuration: What the app has chosen.
    ///   - environment: The world, as the provider may use it.
    public init(
        id: ProviderID = "xignin", configuration: Configuration,
        in environment: PushEnvironment
    ) {
        self.id = id
        self.configuration = configuration
        // A manager's time is known only from what that manager signs.
        let own = environment.scoped(to: id).withSignedTimeOnly
        access = XignInAccess(
            provider: id, environment: own, configuration: configuration,
            accounts: own.accounts(for: id))
    }

    /// The device token can be changed and taken away, an activation ended, and a no has a reason.
    public var capabilities: Capabilities {
        [.tokenUpdate, .tokenRemoval, .serverRemoval, .denyReasons]
    }

    /// A plain yes.
    public var prompts: [Challenge.Prompt] { [.approve] }

    /// Managers push by Firebase alone, on Apple's systems, too.
    public var pushServices: [DeviceToken.Service] { [.fcm] }

    /// What biometry unlocks, where the wire format takes it. No call but a yes needs it.
    public var guarded: Capabilities.GuardedPart? { access.format.takesBiometry ? .biometry : nil }

    /// Reads activation links and personalizes the device.
    public var enroller: any Enroller { XignInEnroller(access: access) }

    /// Opens and answers processes.
    public var resolver: any Resolver { XignInResolver(access: access) }

    /// Nothing may leave: a personalization is of one device.
    public var exporter: any EnrollmentExporter {
        NotExportable(
            "A personalization is bound to this device by keys that were made on it. Personalize the new "
                + "device.")
    }

    /// What the manager said of the last wrong factor, or of the lockout that ended a process: how
    /// long to wait, and how many tries are left.
    ///
    /// - Returns: `nil` if neither the last answer nor opening it brought one, or another process
    ///   brought one since.
    public func lockoutInformation(of process: Challenge.ID) async -> LockoutInformation? {
        let account = try? await access.accounts.account(process.enrollment)
        let record = try? account?.credential(as: XignInRecord.self)
        return record?.lockout(of: process.name)
    }

    /// What has the shape of a manager's messages. The candidate verifies itself with the keys of
    /// the activation it names, and is read only then.
    ///
    /// A push that names an unknown key may make the wire format ask that activation's manager for
    /// its newest keys, and wait for the answer.
    public func candidate(in message: PushMessage) -> PushMessage.Candidate? {
        access.format.candidate(in: message).map {
            PushMessage.Candidate($0, verifiedBy: event(from:in:))
        }
    }

    private func event(
        from candidate: XignInCandidate, in accounts: Accounts
    ) async throws(PushError) -> PushEvent {
        var access = access
        access.accounts = accounts
        return event(try await candidate.message(using: access))
    }
}

extension XignIn {
    /// What the app has chosen.
    public typealias Configuration = XignInConfiguration
}

// MARK: Messages

extension XignIn {
    /// What a message means to the core, which judges expiry and replay.
    private func event(_ message: XignInMessage) -> PushEvent {
        guard configuration.supportedAPI.canExecute(message.minimumAPI) else {
            return incompatible(message)
        }
        let notice = message.notice
        switch message.type {
        case .unknown: return incompatible(message)
        case .cancel:
            return .withdrawal(
                Withdrawal(
                    notice.id, message.reason, isIgnorable: notice.isIgnorable,
                    expiry: notice.expiry?.addingTimeInterval(Self.reserve)))
        case .authentication:
            let shown = Notice(
                id: notice.id, title: notice.title.map { Self.cut($0, 120) },
                body: notice.body.map { Self.cut($0, 500) }, priority: notice.priority,
                isIgnorable: notice.isIgnorable, issued: notice.issued, expiry: notice.expiry,
                proof: notice.proof)
            let note = ProcessNote(announced: message.context)
            return .notice(Announcement(shown, context: note.sealed))
        }
    }

    /// A cancel that only a newer version understands in full ends what it names all the same.
    private func incompatible(_ message: XignInMessage) -> PushEvent {
        let notice = message.notice
        return .incompatible(
            PushEvent.Incompatible(
                notice.id, kind: message.type.name, minimumVersion: message.minimumAPI,
                isIgnorable: notice.isIgnorable, withdraws: message.type == .cancel,
                expiry: notice.expiry))
    }

    /// How long after a process's end a message about it may still be on its way.
    private static let reserve = 600.0

    /// A text that was cut ends with `…`.
    private static func cut(_ text: String, _ length: Int) -> String {
        let scalars = text.unicodeScalars
        return scalars.count <= length ? text : String(scalars.prefix(length - 1)) + "…"
    }
}
