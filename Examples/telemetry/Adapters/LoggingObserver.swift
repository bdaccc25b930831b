public import Logging
public import PushCore

/// Writes what the SDK observes to a logger of swift-log: a challenge's steps as `debug`, what was
/// refused as `notice`, what may be an attack as `warning`, a damaged record as `error`.
///
/// One file to copy. The SDK tells no content of a message, so there is none in a line. The name of
/// an enrollment, which may be the user's, is left out as well.
public struct LoggingObserver: PushObserver {
    private let logger: Logger

    /// Writes to a logger.
    public init(_ logger: Logger) { self.logger = logger }

    /// Writes a line.
    public func observe(_ observation: PushObservation) {
        var metadata: Logger.Metadata = ["count": "\(observation.count)"]
        metadata["provider"] = observation.provider.map { "\($0.rawValue)" }
        let level: Logger.Level
        switch observation.kind {
        case .refused(let code):
            level = .notice
            metadata["code"] = "\(code.name)"
        case .security(let code):
            level = .warning
            metadata["code"] = "\(code.name)"
        case .damaged(let record):
            level = .error
            metadata["record"] = "\(record)"
        case .challengesFull: level = .warning
        case .noticed: level = .info
        @unknown default: level = .info
        }
        logger.log(level: level, "\(observation.summary)", metadata: metadata)
    }

    /// Writes a line.
    public func observe(_ step: ObservedStep) {
        var metadata: Logger.Metadata = [
            "ending": "\(step.ending.name)", "repeated": "\(step.isRepeated)",
            "milliseconds": "\(step.duration / .milliseconds(1))",
        ]
        metadata["trace"] = step.trace.map { "\($0)" }
        metadata["provider"] = step.provider.map { "\($0.rawValue)" }
        logger.debug("\(step.kind.rawValue)", metadata: metadata)
    }
}
