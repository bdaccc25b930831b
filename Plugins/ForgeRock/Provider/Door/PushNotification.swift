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
    /// The challenge, as the uniform API knows it.
    public let id: Challenge.ID

    /// Everything the push says.
    public let content: NotificationContent

    let authenticator: PushAuthenticator

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
    /// - Throws: `PushError`: `invalidResolution` if the push has another type, and nothing is
    ///   sent then; `decidedOtherwise` if it was denied before.
    public func accept() async throws(PushError) -> Outcome {
        try require(.default)
        return try await resolve(.approve)
    }

    /// Accepts a push of the type `challenge`.
    ///
    /// - Parameter challengeResponse: The number that the login page shows. It must be one of
    ///   ``numbersChallengeArray`` where AM sent any.
    /// - Returns: What AM said; `notTaken` with `mayRetry` if the number may have been wrong.
    /// - Throws: `PushError`, as ``accept()``.
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
    /// - Throws: `PushError`, as ``accept()``; `cancelled` or `verificationFailed` if the check
    ///   failed, and nothing is sent then.
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
    /// - Throws: `PushError`: `decidedOtherwise` if it was accepted before.
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
