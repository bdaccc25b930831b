public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A push notification of AM, verified, with the properties and methods its documentation names.
///
/// Every answer goes through the authenticator's ledger: it is recorded, then sent.
public struct PushNotification: Sendable, Identifiable {
    /// What a push asks for, under the vendor's names. Nested, as Apple's ActivityKit has a `PushType`.
    public enum PushType: String, Hashable, Sendable {
        /// Approve or deny.
        case `default`
        /// Choose, or enter, the number that the login page shows.
        case challenge
        /// Approve after a biometric check on the device, or deny. AM can't tell that it was made.
        case biometric
    }

    /// The challenge, as the uniform API knows it.
    public let id: Challenge.ID

    /// The identifier that AM finds the login by. It stands beside the signature, so it proves nothing.
    public let messageId: String

    /// Everything the push says.
    public let content: NotificationContent

    let authenticator: PushAuthenticator

    /// The mechanism that the push is for.
    public var mechanismUUID: String { id.enrollment.name }

    /// The vendor's name for it: the mechanism, and when AM made the push, in milliseconds since 1970.
    public var identifier: String {
        "\(mechanismUUID)-\(Int64((timeAdded.timeIntervalSince1970 * 1000).rounded()))"
    }

    /// How long the push may be answered, in seconds.
    public var ttl: Double { content.ttl }

    /// What the sender node adds: JSON as text.
    public var customPayload: String? { content.customPayload }

    /// The text to show.
    public var message: String? { content.message }

    /// The text to show, under the newer SDK's name.
    public var messageText: String? { content.message }

    /// Where the login came from: JSON as text.
    public var contextInfo: String? { content.contextInfo }

    /// What the push asks for, and so which method accepts it; `nil` if it can only be denied.
    public var pushType: PushType? { content.pushType }

    /// The numbers as AM sent them; `nil` unless the type is `challenge`.
    public var numbersChallenge: String? { content.numbersChallenge }

    /// The numbers to choose from; empty if the user enters one; `nil` unless the type is
    /// `challenge`.
    public var numbersChallengeArray: [Int]? {
        content.pushType == .challenge ? content.numbersChallengeArray : nil
    }

    /// When AM made the push.
    public var timeAdded: Date { content.timeAdded }

    /// The moment after which the push counts as expired.
    public var timeExpired: Date { content.timeExpired }

    /// Whether the push counts as expired. AM decides; this is for display.
    public func isExpired(at now: Date) -> Bool { now > content.timeExpired }

    /// Accepts a push of the type `default`.
    ///
    /// - Returns: What AM said. `delivered` means that AM took the answer, not that the user is
    ///   logged in.
    /// - Throws: `PushError`: `invalidResolution` if the push has another type, and nothing is sent
    ///   then; `decidedOtherwise` if it was denied before; else with the codes of
    ///   `PushAuthenticator.challenge(_:)` and of its `resolve(_:with:extras:style:)`.
    public func accept() async throws(PushError) -> Outcome {
        try require(.default)
        return try await resolve(.approve)
    }

    /// Accepts a push of the type `challenge`.
    ///
    /// - Parameter challengeResponse: The number that the login page shows. It must be one of
    ///   ``numbersChallengeArray`` where AM sent any.
    /// - Returns: What AM said; `notTaken` with `mayRetry` if the number may have been wrong.
    /// - Throws: `PushError`, with the codes of ``accept()``.
    public func accept(challengeResponse: String) async throws(PushError) -> Outcome {
        try require(.challenge)
        let number = String(challengeResponse[...].trimmed)
        let isListed = !content.numbersChallengeArray.isEmpty
        return try await resolve(isListed ? .choose(number) : .enter(number))
    }

    /// Accepts a push of the type `biometric`, after the app's verifier has checked the user.
    ///
    /// - Parameters:
    ///   - title: The text of the prompt.
    ///   - allowDeviceCredentials: Whether unlocking the device may stand for biometry.
    /// - Returns: What AM said.
    /// - Throws: `PushError`, with the codes of ``accept()``; `cancelled` or `verificationFailed`
    ///   if the check failed, and nothing is sent then.
    public func accept(
        title: String, allowDeviceCredentials: Bool
    ) async throws(PushError) -> Outcome {
        try require(.biometric)
        return try await resolve(
            .approve,
            style: VerificationStyle(title: title, allowsDeviceCredential: allowDeviceCredentials))
    }

    /// Denies a push of any type.
    ///
    /// - Returns: What AM said.
    /// - Throws: `PushError`: `decidedOtherwise` if it was accepted before, else with the codes of
    ///   `PushAuthenticator.deny(_:_:)`.
    public func deny() async throws(PushError) -> Outcome {
        try await authenticator.deny(id)
    }

    private func require(_ type: PushType) throws(PushError) {
        guard content.pushType == type else {
            throw PushError(
                .invalidResolution, "This method accepts another type of push.",
                provider: id.enrollment.provider)
        }
    }

    private func resolve(
        _ resolution: Resolution, style: VerificationStyle = VerificationStyle()
    ) async throws(PushError) -> Outcome {
        let challenge = try await authenticator.challenge(id)
        return try await authenticator.resolve(challenge, with: resolution, style: style)
    }
}

// MARK: What became of it

extension PushNotification {
    /// Whether nobody has answered it on this device, expired or not.
    ///
    /// - Throws: `PushError` with the code `malformed` or `storage` if its record can't be read.
    public var isPending: Bool {
        get async throws(PushError) { try await resolution == nil }
    }

    /// Whether it was accepted on this device, and AM hasn't refused the answer.
    ///
    /// - Throws: `PushError` with the code `malformed` or `storage` if its record can't be read.
    public var isApproved: Bool {
        get async throws(PushError) { try await recordedResolution.map { !$0.isDenial } ?? false }
    }

    /// Whether it was denied on this device, and AM hasn't refused the answer.
    ///
    /// - Throws: `PushError` with the code `malformed` or `storage` if its record can't be read.
    public var isDenied: Bool {
        get async throws(PushError) { try await recordedResolution.map(\.isDenial) ?? false }
    }

    /// What was answered, unless AM's word is that it didn't take it.
    private var recordedResolution: Resolution? {
        get async throws(PushError) {
            let state = try await authenticator.record(of: id)?.state
            if case .answered(_, .notTaken)? = state { return nil }
            return state?.resolution
        }
    }

    private var resolution: Resolution? {
        get async throws(PushError) { try await authenticator.record(of: id)?.state.resolution }
    }
}

// MARK: Callbacks

/// The same methods with closures, as the vendor documents them.
extension PushNotification {
    /// Called on the main actor, once AM took the answer.
    public typealias SuccessCallback = () -> Void

    /// Called on the main actor, if AM didn't take the answer, or if nobody knows whether it did.
    public typealias ErrorCallback = (PushError) -> Void

    /// Accepts a push of the type `default`.
    @preconcurrency @MainActor
    public func accept(
        onSuccess: @escaping SuccessCallback, onError: @escaping ErrorCallback
    ) {
        report(onSuccess, onError) { () async throws(PushError) in try await accept() }
    }

    /// Accepts a push of the type `challenge`.
    @preconcurrency @MainActor
    public func accept(
        challengeResponse: String, onSuccess: @escaping SuccessCallback,
        onError: @escaping ErrorCallback
    ) {
        report(onSuccess, onError) { () async throws(PushError) in
            try await accept(challengeResponse: challengeResponse)
        }
    }

    /// Accepts a push of the type `biometric`, after the app's verifier has checked the user.
    @preconcurrency @MainActor
    public func accept(
        title: String, allowDeviceCredentials: Bool, onSuccess: @escaping SuccessCallback,
        onError: @escaping ErrorCallback
    ) {
        report(onSuccess, onError) { () async throws(PushError) in
            try await accept(title: title, allowDeviceCredentials: allowDeviceCredentials)
        }
    }

    /// Denies a push of any type.
    @preconcurrency @MainActor
    public func deny(onSuccess: @escaping SuccessCallback, onError: @escaping ErrorCallback) {
        report(onSuccess, onError) { () async throws(PushError) in try await deny() }
    }

    @MainActor private func report(
        _ onSuccess: @escaping SuccessCallback, _ onError: @escaping ErrorCallback,
        _ answer: @escaping @Sendable () async throws(PushError) -> Outcome
    ) {
        Task { @MainActor in
            do throws(PushError) {
                switch try await answer() {
                case .delivered: onSuccess()
                case .notTaken(let refusal):
                    onError(failure(.notTaken(refusal), "AM didn't take the answer."))
                case .unknown(let why): onError(failure(.interrupted, why))
                case .expired, .answeredElsewhere, .cancelled, .code, .ended, .verifyAgain:
                    onError(failure(.over, "The challenge is over."))
                }
            } catch {
                onError(error)
            }
        }
    }

    private func failure(_ code: PushError.Code, _ reason: String) -> PushError {
        PushError(code, reason, provider: id.enrollment.provider)
    }
}
