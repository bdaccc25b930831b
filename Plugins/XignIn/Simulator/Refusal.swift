import PushCore

/// An answer that isn't success: a status, one of the protocol's words, and what belongs to it.
struct Refusal: Error {
    let status: Int
    let error: String
    let message: String
    var more: JSON.Object = [:]
    /// Whether nobody is known whom a signed answer could be for.
    var isUnsigned = false

    var data: JSON {
        .object(
            JSON.Object(
                [("error", .string(error)), ("message", .string(message))] + more.members))
    }

    static func malformed(_ why: String) -> Refusal {
        Refusal(status: 400, error: "malformed_request", message: why)
    }

    static let factorsMissing = Refusal(
        status: 400, error: "factors_missing", message: "the factors cover no alternative")

    static let clockSkew = Refusal(
        status: 401, error: "clock_skew", message: "the request was made too early or too late")

    static func invalidDeviceSignature(_ why: String) -> Refusal {
        Refusal(status: 401, error: "invalid_device_signature", message: why)
    }

    static let replayed = Refusal(
        status: 401, error: "replayed_request", message: "the request was seen before")

    static func locked(_ lockout: JSON) -> Refusal {
        Refusal(
            status: 403, error: "activation_locked", message: "too many wrong factors",
            more: ["lockout": lockout])
    }

    static let processUnknown = Refusal(
        status: 404, error: "process_unknown", message: "there is no such process")

    static let activationUnknown = Refusal(
        status: 404, error: "activation_unknown", message: "there is no such activation")

    static let activationUsed = Refusal(
        status: 409, error: "activation_used", message: "the activation secret was used")

    static let startedElsewhere = Refusal(
        status: 409, error: "process_already_started", message: "started on another device")

    static let finished = Refusal(
        status: 409, error: "process_finished", message: "the process has its outcome")

    static let notStarted = Refusal(
        status: 409, error: "process_not_started", message: "start it first")

    static let activationExpired = Refusal(
        status: 410, error: "activation_expired", message: "the activation secret has expired")

    static let expired = Refusal(
        status: 410, error: "process_expired", message: "the deadline has passed")

    static let cancelled = Refusal(
        status: 410, error: "process_cancelled", message: "the service aborted the process")

    static func unsupported(_ lowest: XignInSimulator.Version?) -> Refusal {
        Refusal(
            status: 426, error: "api_version_unsupported", message: "no version in common",
            more: lowest.map { ["min_api": .string($0.description)] } ?? [:])
    }
}
