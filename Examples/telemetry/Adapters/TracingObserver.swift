public import PushCore
public import Tracing

/// Makes a span of each step that the SDK observes, by swift-distributed-tracing.
///
/// All spans of a challenge are in one trace, whichever process made them: its identifier is the
/// ``TraceID``, handed to the tracer as a `traceparent` (W3C Trace Context, section 3.2). A tracer
/// that doesn't read that field gets the identifier as an attribute alone.
///
/// One file to copy. No span has content of a message, or a name of a user or a device.
public struct TracingObserver<T: Tracer>: PushObserver {
    private let tracer: T

    /// Makes spans of a tracer.
    public init(_ tracer: T) { self.tracer = tracer }

    /// What the SDK refused or found odd is the log's.
    public func observe(_ observation: PushObservation) {}

    // snippet: step
    /// Makes a span that begins and ends when the step did.
    public func observe(_ step: ObservedStep) {
        guard let trace = step.trace else { return }
        let end = Moment(nanosecondsSinceEpoch: DefaultTracerClock.now.nanosecondsSinceEpoch)
        let span = tracer.startSpan(
            "push.\(step.kind.rawValue)", context: context(of: trace),
            ofKind: step.kind == .attempt ? .client : .internal, at: end - step.duration)
        span.updateAttributes { attributes in
            attributes["push.trace"] = "\(trace)"
            attributes["push.provider"] = step.provider?.rawValue
            attributes["push.ending"] = step.ending.name
            attributes["push.repeated"] = step.isRepeated
        }
        if case .failed = step.ending { span.setStatus(SpanStatus(code: .error)) }
        span.end(at: end)
    }
    // end snippet

    /// A context whose parent is the challenge's trace: no span has its identifier, as no process
    /// sees the whole.
    private func context(of trace: TraceID) -> ServiceContext {
        var context = ServiceContext.topLevel
        let parent = "\(trace)".suffix(16)
        tracer.extract(
            ["traceparent": "00-\(trace)-\(parent)-01"], into: &context, using: Fields())
        return context
    }
}

private struct Fields: Extractor {
    func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }
}

private struct Moment: TracerInstant {
    let nanosecondsSinceEpoch: UInt64

    static func < (one: Moment, other: Moment) -> Bool {
        one.nanosecondsSinceEpoch < other.nanosecondsSinceEpoch
    }

    static func - (moment: Moment, duration: Duration) -> Moment {
        let nanoseconds = UInt64(max(0, duration / .nanoseconds(1)))
        return Moment(
            nanosecondsSinceEpoch: moment.nanosecondsSinceEpoch
                - min(nanoseconds, moment.nanosecondsSinceEpoch))
    }
}
