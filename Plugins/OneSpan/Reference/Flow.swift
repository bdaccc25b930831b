import Crypto
import PushCore
import PushOneSpan

/// One run of a workflow, in memory.
struct Flow: Sendable {
    /// 16 random bytes, never those of another flow.
    let id: [UInt8]
    var work: Work

    /// What was sent and not answered.
    var outstanding: Outstanding?

    /// When the time that the server gave is over, by the monotonic clock.
    var deadline: Duration?

    /// Digests of the replies taken.
    var taken: Set<[UInt8]> = []

    /// How often the counter was behind the server's. A reply doesn't set it back: a session that is
    /// fetched anew after each refused answer would go round for ever.
    var recoveries = 0

    var name: FlowID { FlowID(id.hexName) }

    /// A command on its way.
    struct Outstanding: Sendable {
        let command: [UInt8]
        let reply: CommandType
        let counter: UInt64

        /// When these bytes were first handed out, by the monotonic clock.
        var sent = Duration.zero
    }

    /// Where a workflow is.
    enum Work: Sendable {
        case activation(ActivationWork)
        case registration(deviceID: [UInt8], identifier: String)
        case remote(RemoteWork)
        case password(PasswordWork)
    }

    var kind: WorkflowKind {
        switch work {
        case .activation: .activation
        case .registration: .notificationRegistration
        case .remote(let work): work.isTransaction ? .transaction : .authentication
        case .password: .changePassword
        }
    }

    /// The device; `nil` while an activation has none.
    var deviceID: [UInt8]? {
        switch work {
        case .activation(let work): work.deviceID
        case .registration(let deviceID, _): deviceID
        case .remote(let work): work.deviceID
        case .password(let work): work.deviceID
        }
    }

    /// Whether what is on its way may have changed something at the server, so that only the
    /// server's word ends it.
    var isDecided: Bool {
        switch work {
        case .activation, .registration: false
        case .remote(let work): work.stage == .answering
        case .password(let work): work.stage == .changing || work.stage == .repeating
        }
    }
}

/// An activation's work.
struct ActivationWork: Sendable {
    /// Where it is; section 4 of `docs/vendors/onespan-ooc.md`.
    enum Stage: Sendable {
        case enrolling
        case awaitingChallenge(ephemeral: P256.KeyAgreement.PrivateKey, ActivationKeys, Material)
        case awaitingInstances(ActivationKeys, Material)
        case awaitingConfirmation(Confirming)
        case awaitingCompletion(SessionKeys)
    }

    /// What the device made before the first command.
    struct Material: Sendable {
        let instances: InstanceKeys
        let signingKey: Secret
        let mask: PasswordMask
    }

    /// What is needed for the last command.
    struct Confirming: Sendable {
        let keys: SessionKeys
        let material: Material

        /// TH4, which the last command signs.
        let transcript: [UInt8]
    }

    let user: String
    let domain: String
    let host: String?
    var port = 443

    /// The activation password, until it is proved.
    var password: Secret?
    var stage = Stage.enrolling
    var deviceID: [UInt8]?

    /// The server's static key in use, 65 bytes.
    var serverKey: [UInt8] = []
}

/// A remote workflow's work.
struct RemoteWork: Sendable {
    /// Where it is; section 7 of `docs/vendors/onespan-ooc.md`.
    enum Stage: Sendable {
        case fetching
        case deciding
        case authenticating
        case answering
    }

    /// What the server asked.
    struct Asked: Sendable {
        let challenge: [UInt8]
        let digest: [UInt8]
        let method: AuthenticationMethod

        /// When the user's time is over, by the monotonic clock.
        let end: Duration

        /// Whether all that the server asked to show can be shown.
        var isApprovable = true
    }

    let deviceID: [UInt8]
    let isTransaction: Bool
    let requestID: String
    var stage = Stage.fetching

    /// `nil` before the challenge came, and for an answer that an earlier process made.
    var asked: Asked?

    /// What the user decided, if they did.
    var isApproved: Bool?
}

/// A password change's work.
struct PasswordWork: Sendable {
    /// Where it is; section 9 of `docs/vendors/onespan-ooc.md`.
    enum Stage: Sendable {
        case old
        case new
        case changing
        case repeating
        case repeatingNew
    }

    let deviceID: [UInt8]
    var stage = Stage.old

    /// The old password, while the new one is asked for.
    var old: Secret?

    /// The new key; `nil` in a later process, which unmasks it with the new password.
    var newKey: Secret?
}
