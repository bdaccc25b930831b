extension Task where Success: Sendable, Failure == Never {
    /// What the task returns; `nil` as soon as the caller's own task is cancelled. This one goes on.
    private var valueOrNil: Success? {
        get async {
            let (values, continuation) = AsyncStream.makeStream(of: Success.self)
            let forwarding = Task<Void, Never> {
                continuation.yield(await value)
                continuation.finish()
            }
            defer { forwarding.cancel() }
            for await value in values { return value }
            return nil
        }
    }
}

extension Task where Failure == Never {
    /// What a shared task returns, for as long as the caller wants it: a caller that is cancelled has
    /// an error at once, with the code `cancelled`, and the task goes on.
    ///
    /// - Returns: The task's result, or the caller's.
    public func valueWhileWanted<Value>() async -> Result<Value, PushError>
    where Success == Result<Value, PushError> {
        await valueOrNil ?? .failure(PushError(.cancelled, "The caller gave up waiting."))
    }
}
