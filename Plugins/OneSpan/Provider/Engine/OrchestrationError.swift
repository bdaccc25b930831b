public import PushCore

/// What goes wrong in a workflow: OneSpan's `OrchestrationError`. Engines throw it, and the plugin
/// decides by it.
///
/// It becomes a `PushError` where it leaves the plugin, and nowhere before.
public struct OrchestrationError: Error {
    /// What went wrong, in OneSpan's terms; `nil` if it is the core's, the system's or the app's.
    package let oneSpan: OneSpanError?

    /// The server's own words, if the error is theirs.
    package let serverError: ServerError?

    /// What the core and apps see of it.
    package let pushError: PushError

    /// Creates an error that isn't OneSpan's, such as one of the store.
    package init(_ error: PushError) { self.init(error, in: nil) }

    /// Creates an error with what it says in OneSpan's terms.
    init(_ error: PushError, in oneSpan: OneSpanError?, by serverError: ServerError? = nil) {
        self.oneSpan = oneSpan
        self.serverError = serverError
        pushError = error
    }

    /// Creates an error that isn't OneSpan's.
    ///
    /// - Parameters:
    ///   - code: What went wrong.
    ///   - reason: A sentence for developers; put no secret and no received content into it.
    public init(_ code: PushError.Code, _ reason: String) {
        self.init(PushError(code, reason))
    }

    /// Creates what an engine has against a command or an input.
    ///
    /// - Parameters:
    ///   - error: What went wrong, in OneSpan's terms.
    ///   - reason: A sentence for developers; put no secret and no received content into it.
    public init(_ error: OneSpanError, _ reason: String) {
        self.init(error.error(reason), in: error)
    }

    init(_ error: OneSpanError) { self.init(error.error, in: error) }

    init(_ error: ServerError) {
        let oneSpan = OneSpanError(error)
        self.init(oneSpan.error, in: oneSpan, by: error)
    }

    /// Creates an error for something that came in place of a reply: the flow waits, and the command
    /// may be sent again.
    ///
    /// - Parameters:
    ///   - reason: A sentence for developers.
    ///   - cause: The fault of what came, if it is the server's error or a command.
    init(noReply reason: String, because cause: OrchestrationError? = nil) {
        self.init(
            PushError(.interrupted, reason, underlying: cause?.oneSpan), in: cause?.oneSpan,
            by: cause?.serverError)
    }

    /// Creates what a fetch says that brought another device's request.
    init(foreignRequest reason: String) {
        let oneSpan = OneSpanError.commandNotForThisDevice
        self.init(PushError(.untrusted, reason, underlying: oneSpan), in: oneSpan)
    }

    /// Its code, in terms that an app can act on.
    package var code: PushError.Code { pushError.code }
}

extension OrchestrationError {
    /// Whether sending the same bytes again may help.
    var isPassing: Bool {
        switch code {
        case .unreachable, .interrupted, .oversizedReply, .server(status: 500...),
            .server(status: 429):
            true
        default: false
        }
    }

    /// Whether it is about bytes that anyone can send: they change nothing.
    var isNoise: Bool {
        switch oneSpan {
        case .commandMalformed, .commandNotForThisDevice, .commandUntrusted, .unexpectedCommand:
            true
        default: false
        }
    }

    /// Whether the server said, authenticated, that it removed the device.
    var saysRemoved: Bool { serverError?.isAuthenticated != false && oneSpan?.isRemoval == true }
}

extension Result where Failure == OrchestrationError, Success: Sendable {
    /// Runs a throwing function and keeps what came of it.
    nonisolated(nonsending) init(
        workflow body: nonisolated(nonsending) () async throws(OrchestrationError) -> Success
    ) async {
        do throws(OrchestrationError) {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}

/// Runs something of the plugin's for the core, or for the app: its error becomes theirs here.
func translatingErrors<Value>(
    _ body: () async throws(OrchestrationError) -> Value
) async throws(PushError) -> Value {
    do throws(OrchestrationError) {
        return try await body()
    } catch {
        throw error.pushError
    }
}

/// Runs something of the core's or of the app's within a workflow.
package func outside<Value>(
    _ body: () async throws(PushError) -> Value
) async throws(OrchestrationError) -> Value {
    do throws(PushError) {
        return try await body()
    } catch {
        throw OrchestrationError(error)
    }
}
