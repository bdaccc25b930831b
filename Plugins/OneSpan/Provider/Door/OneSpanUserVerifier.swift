public import PushCore

/// Asks the user through OneSpan's user authentication callback: give it to the `PushEnvironment`.
public actor OneSpanUserVerifier: UserVerifier {
    private static let known: Set<Set<Factor>> = [
        [.pin], [.newPIN], [.newPIN, .newBiometry], [.biometry],
    ]

    private var callback: (any UserAuthenticationCallback)?

    /// Creates a verifier.
    public init(_ callback: (any UserAuthenticationCallback)? = nil) {
        self.callback = callback
    }

    /// Sets what asks the user: OneSpan's `setUserAuthenticationCallback`.
    public func setUserAuthenticationCallback(_ callback: (any UserAuthenticationCallback)?) {
        self.callback = callback
    }

    /// Asks for the first of the alternatives that OneSpan knows.
    ///
    /// - Throws: `PushError`: `unsupported` if no callback is set, or none of the alternatives is
    ///   OneSpan's; `cancelled` if the user gave up.
    public func verify(_ request: VerificationRequest) async throws(PushError) -> [Evidence] {
        guard let callback else { throw OneSpanError.handlerNotSet.error }
        guard let first = request.alternatives.first(where: { Self.known.contains(Set($0)) })
        else { throw PushError(.unsupported, "OneSpan asks for a password, or for biometry.") }
        let isEnrollment = first.contains(.newPIN)
        let type: AuthenticationMethod = first == [.biometry] ? .biometric : .password
        var evidence: [Evidence] = []
        repeat {
            evidence = try await ask(callback, type, isEnrollment: isEnrollment)
            if evidence.pin?.count == 0 {
                await callback.onUserAuthenticationInputError(
                    PushError(.verificationFailed, "The password is empty."))
            }
        } while evidence.pin?.count == 0
        if first.contains(.newBiometry) {
            evidence += try await ask(callback, .biometric, isEnrollment: true)
        }
        return evidence
    }

    private func ask(
        _ callback: any UserAuthenticationCallback, _ type: AuthenticationMethod,
        isEnrollment: Bool
    ) async throws(PushError) -> [Evidence] {
        let (answers, continuation) = AsyncStream.makeStream(
            of: Result<[Evidence], PushError>.self, bufferingPolicy: .bufferingOldest(1))
        let input = UserAuthenticationInputCallback { answer in
            continuation.yield(answer)
            continuation.finish()
        }
        await callback.onUserAuthenticationRequired(type, input, isEnrollment: isEnrollment)
        for await answer in answers { return try answer.get() }
        throw PushError(.cancelled, "Nobody answered.")
    }
}

/// The app's own password and biometric screens: OneSpan's user authentication override.
public protocol UserAuthenticationCallback: AnyObject, Sendable {
    /// The user is needed.
    ///
    /// - Parameters:
    ///   - type: What they prove themselves with.
    ///   - inputCallback: What to call with what they entered.
    ///   - isEnrollment: Whether they choose a password, rather than enter one.
    func onUserAuthenticationRequired(
        _ type: AuthenticationMethod, _ inputCallback: UserAuthenticationInputCallback,
        isEnrollment: Bool
    ) async

    /// The user's entry can't be used; they are asked again.
    func onUserAuthenticationInputError(_ error: PushError) async
}

extension UserAuthenticationCallback {
    /// Does nothing.
    public func onUserAuthenticationInputError(_ error: PushError) async {}
}

/// What the app calls with what the user entered. The first call counts.
public struct UserAuthenticationInputCallback: Sendable {
    let answer: @Sendable (Result<[Evidence], PushError>) -> Void

    /// The password.
    public func onUserAuthenticationInputSuccess(_ password: Secret) {
        answer(.success([.pin(password)]))
    }

    /// The biometric check passed.
    public func onUserAuthenticationBiometricSuccess() {
        answer(.success([.biometry(nil)]))
    }

    /// The user gave up: the workflow is aborted.
    public func onUserAuthenticationInputAborted() {
        answer(.failure(PushError(.cancelled, "The user gave up.")))
    }
}
