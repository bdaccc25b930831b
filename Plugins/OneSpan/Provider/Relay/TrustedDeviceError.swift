import PushCore

/// The body of an error that `orchestration-commands-v2` answers with: OneSpan's
/// `TrustedDeviceErrorOutputDto` ("Orchestration error handling with Trusted Device microservice").
///
/// Whoever is between this device and the platform can write it, so it decides nothing: it helps
/// those who read diagnostics. The `command` beside it is what counts.
public struct TrustedDeviceError: Hashable, Sendable {
    /// The HTTP status that it came with.
    public let status: Int

    /// `errorCategory`, as ``ServerErrorCategory`` reads it; `nil` if it is missing or another one.
    public let category: ServerErrorCategory?

    /// `errorCode`; `nil` if it is missing.
    public let code: Int32?

    /// `service`: the microservice, at most 128 characters.
    public let service: String?

    /// `logCorrelationId`, for OneSpan's support, at most 128 characters.
    public let logCorrelationID: String?

    init(status: Int, body: JSON) {
        self.status = status
        category = body["errorCategory"]?.string.flatMap(ServerErrorCategory.init(rawValue:))
        code = body["errorCode"]?.integer.flatMap(Int32.init(exactly:))
        service = body["service"]?.string.map { String($0.prefix(128)) }
        logCorrelationID = body["logCorrelationId"]?.string.map { String($0.prefix(128)) }
    }
}
