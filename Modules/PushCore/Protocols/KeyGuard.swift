/// Seals the part of an enrollment's credential that only an answer needs, so that the store alone
/// signs nothing: behind a finger, a passphrase, or a key that is elsewhere.
///
/// The core opens it for the one step that needs it, and keeps nothing of it afterwards. What is
/// sealed is kept in the enrollment's record, so it goes with that.
public protocol KeyGuard: Sendable {
    /// Seals secrets. It may ask for a new passphrase, and for nothing else.
    ///
    /// - Parameters:
    ///   - part: What is sealed, up to 16 kB.
    ///   - policy: What opens it from now on.
    /// - Returns: What is stored: nobody reads the part in it, nor changes it without being noticed.
    /// - Throws: ``PushError`` with the code `unsupported` if this device can't keep to the policy,
    ///   `cancelled` if the user gave up, `storage` if the guard can't be used.
    func seal(_ part: Secret, under policy: GuardPolicy) async throws(PushError) -> Secret

    /// Opens what was sealed, and so verifies the user as its policy says. It asks once for all.
    ///
    /// - Parameters:
    ///   - sealed: What ``seal(_:under:)`` returned, of each enrollment.
    ///   - purpose: What the user is asked for.
    ///   - title: The prompt's text, if the caller gave one.
    /// - Returns: The parts, in the same order.
    /// - Throws: ``PushError`` with the code `cancelled` if the user gave up, `verificationFailed` if
    ///   the check failed, `locked` if nobody can be asked now, `guardLost` if nothing opens it any
    ///   more, such as after a change of the fingers, `storage` if the guard can't be used.
    func open(
        _ sealed: [Secret], for purpose: VerificationRequest.Purpose, title: String?
    ) async throws(PushError) -> [Secret]

    /// Forgets what it keeps elsewhere of something sealed, which is of no use any more.
    func discard(_ sealed: Secret) async
}

/// What opens a guard.
@nonexhaustive
public enum GuardPolicy: String, CaseIterable, Hashable, Sendable {
    /// This device, unlocked. The user proves nothing.
    case presence
    /// The device's passcode or biometry; on a computer a passphrase.
    case deviceOwner
    /// A finger or a face that the device knew when it was sealed, and nothing else.
    case currentBiometry

    /// What opening it proves.
    var evidence: [Evidence] {
        switch self {
        case .presence: []
        case .deviceOwner: [.presence, .deviceCredential]
        case .currentBiometry: [.presence, .biometry(nil)]
        }
    }

    /// - Throws: ``PushError`` with the code `unsupported` if nobody would be asked for what is to
    ///   stand for the user's biometry.
    func requireUser() throws(PushError) {
        guard self != .presence else {
            throw PushError(
                .unsupported, "What biometry unlocks needs a policy that asks the user.")
        }
    }
}

/// A credential with secrets that only answers need.
public protocol GuardedCredential: ProviderCredential {
    /// Those secrets, in an order of its own; `[]` while the guard is locked, and then nothing that
    /// needs them works: throw ``PushError`` `locked`. What is set is what was read before, or `[]`.
    var answerSecrets: [Secret] { get set }
}

/// What of a provider's enrollments a guard can seal, and what needs it.
public struct GuardedPart: Sendable {
    /// What needs the part.
    public struct Uses: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: UInt8

        /// Creates a set from its bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Making a yes.
        public static let approval = Uses(rawValue: 1 << 0)
        /// Making a no.
        public static let denial = Uses(rawValue: 1 << 1)
        /// Sending an answer that is made.
        public static let delivery = Uses(rawValue: 1 << 2)
        /// Opening a challenge.
        public static let opening = Uses(rawValue: 1 << 3)
        /// Asking the vendor: lists, states, and telling it a device token.
        public static let questions = Uses(rawValue: 1 << 4)
        /// One-time codes.
        public static let codes = Uses(rawValue: 1 << 5)
    }

    /// What needs it.
    public let uses: Uses

    /// The credential's type; `nil` if the part is what ``Factor/biometry`` unlocks.
    package let credential: (any GuardedCredential.Type)?

    /// The credential's own secrets.
    public init(of credential: any GuardedCredential.Type, for uses: Uses) {
        self.credential = credential
        self.uses = uses
    }

    private init() {
        credential = nil
        uses = []
    }

    /// A secret of 32 random bytes that the core makes for ``Factor/newBiometry``, and brings as
    /// ``Evidence/biometry(_:)``. Where the vendor takes a PIN instead, the user may give that.
    public static let biometry = GuardedPart()

    var isBiometry: Bool { credential == nil }
}
