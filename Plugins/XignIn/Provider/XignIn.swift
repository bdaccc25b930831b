public import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// XignIn, with the vendor's own engine underneath, or another format.
///
/// A push says little and is signed by a key that was pinned when the device was personalized. What is
/// asked is fetched when the user opens it, and from then on the process is this device's.
public struct XignIn: PushProvider {
    /// The name of this instance.
    public let id: ProviderID

    /// What the app has chosen.
    public let configuration: Configuration

    let environment: Environment

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: The name of this instance; it must not change between releases of an app.
    ///   - configuration: What the app has chosen.
    ///   - environment: The world, as the provider may use it.
    public init(
        id: ProviderID = "xignin", configuration: Configuration,
        in environment: Environment
    ) {
        self.id = id
        self.configuration = configuration
        // Only what a manager signs is its time.
        self.environment = environment.scoped(to: id).withSignedTimeOnly
    }

    /// The device token can be changed and taken away, an activation ended, and a no has a reason.
    public var capabilities: Capabilities {
        [.tokenUpdate, .tokenRemoval, .serverRemoval, .denyReasons]
    }

    /// Managers push by Firebase alone, on Apple's systems, too.
    public var pushServices: [PushService] { [.fcm] }

    /// Reads activation links and personalizes the device.
    public var enroller: any Enroller { XignInEnroller(provider: self) }

    /// Opens and answers processes.
    public var resolver: any Resolver { XignInResolver(provider: self) }

    var format: any XignInWireFormat { configuration.wireFormat }

    var vault: Vault { environment.vault(for: id) }

    var replies: ManagerReplies { ManagerReplies(provider: self) }

    var access: XignInAccess {
        XignInAccess(
            provider: id, environment: environment, supportedAPI: configuration.supportedAPI,
            biometricKeys: configuration.biometricKeys)
    }

    /// What the manager said of the last wrong factor, or of the lockout that ended a process: how
    /// long to wait, and how many tries are left.
    ///
    /// - Returns: `nil` if neither the last answer nor opening it brought one, or another process
    ///   brought one since.
    public func lockoutInformation(of process: Challenge.ID) async -> LockoutInformation? {
        guard let secret = try? await vault.secret(of: process.enrollment) else { return nil }
        return (try? XignInRecord(reading: secret))?.lockout(of: process.name)
    }

    /// What has the shape of a manager's messages. It is verified with the keys of the activation it
    /// names, and then read.
    ///
    /// A push with an unknown key makes it ask that activation's manager for its keys, a few times an
    /// hour at the most, and wait for them.
    public func candidate(in message: PushMessage) -> PushCandidate? {
        format.candidate(in: message).map { PushCandidate($0, verifiedBy: event(from:)) }
    }

    private func event(from candidate: XignInCandidate) async throws(PushError) -> PushEvent {
        event(try await candidate.message(using: access))
    }
}

// MARK: Messages

extension XignIn {
    /// What a message means to the core, which judges expiry and replay.
    private func event(_ message: XignInMessage) -> PushEvent {
        guard configuration.supportedAPI.canExecute(message.minimumAPI) else {
            return incompatible(message)
        }
        switch message.kind {
        case .unknown: return incompatible(message)
        case .cancel(let reason):
            return .withdrawal(
                Withdrawal(
                    message.id, reason.withdrawal, isIgnorable: message.isIgnorable,
                    expiry: message.expiry + Self.reserve))
        case .authentication:
            let notice = Notice(
                id: message.id, title: message.title.map { Self.cut($0, 120) },
                body: message.text.map { Self.cut($0, 500) }, priority: message.priority,
                isIgnorable: message.isIgnorable, issued: message.issued, expiry: message.expiry,
                proof: .signature)
            let note = ProcessNote(announced: message.context)
            return .notice(Announcement(notice, context: note.sealed))
        }
    }

    /// A cancel that only a newer version understands in full ends what it names all the same.
    private func incompatible(_ message: XignInMessage) -> PushEvent {
        let withdraws = if case .cancel = message.kind { true } else { false }
        return .incompatible(
            Incompatible(
                message.id, kind: message.kindName, minimumVersion: message.minimumAPI,
                isIgnorable: message.isIgnorable, withdraws: withdraws,
                expiry: message.expiry))
    }

    /// How long after a process's end a message about it may still be on its way.
    private static let reserve = 600.0

    /// What is cut says so.
    private static func cut(_ text: String, _ length: Int) -> String {
        let scalars = text.unicodeScalars
        return scalars.count <= length ? text : String(scalars.prefix(length - 1)) + "…"
    }
}
