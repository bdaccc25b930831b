public import PushCore

/// The same methods with closures, as the vendor documents them.
extension PushNotification {
    /// Called once AM took the answer.
    public typealias SuccessCallback = @Sendable () -> Void

    /// Called if AM didn't take the answer, or that isn't known.
    public typealias ErrorCallback = @Sendable (PushError) -> Void

    /// Accepts a push of the type `default`.
    public func accept(
        onSuccess: @escaping SuccessCallback, onError: @escaping ErrorCallback
    ) {
        report(onSuccess, onError) { () async throws(PushError) in try await accept() }
    }

    /// Accepts a push of the type `challenge`.
    public func accept(
        challengeResponse: String, onSuccess: @escaping SuccessCallback,
        onError: @escaping ErrorCallback
    ) {
        report(onSuccess, onError) { () async throws(PushError) in
            try await accept(challengeResponse: challengeResponse)
        }
    }

    /// Accepts a push of the type `biometric`, after the app's verifier has checked the user.
    public func accept(
        title: String, allowDeviceCredentials: Bool, onSuccess: @escaping SuccessCallback,
        onError: @escaping ErrorCallback
    ) {
        report(onSuccess, onError) { () async throws(PushError) in
            try await accept(title: title, allowDeviceCredentials: allowDeviceCredentials)
        }
    }

    /// Denies a push of any type.
    public func deny(onSuccess: @escaping SuccessCallback, onError: @escaping ErrorCallback) {
        report(onSuccess, onError) { () async throws(PushError) in try await deny() }
    }

    private func report(
        _ onSuccess: @escaping SuccessCallback, _ onError: @escaping ErrorCallback,
        _ answer: @escaping @Sendable () async throws(PushError) -> Outcome
    ) {
        Task {
            do throws(PushError) {
                switch try await answer() {
                case .delivered: onSuccess()
                case .notTaken(let refusal):
                    onError(failure(.notTaken(refusal), "AM didn't take the answer."))
                case .unknown(let why): onError(failure(.interrupted, why))
                default: onError(failure(.over, "The challenge is over."))
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
