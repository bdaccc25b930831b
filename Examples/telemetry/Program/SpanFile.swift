import Foundation
import Tracing

/// A tracer that appends each span to a file as a line of JSON. It takes its trace from a
/// `traceparent` (W3C Trace Context, section 3.2), as those of OpenTelemetry do.
struct SpanFile: Tracer {
    private enum ParentKey: ServiceContextKey {
        typealias Value = String
    }

    let url: URL

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        context[ParentKey.self] = extractor.extract(key: "traceparent", from: carrier)
    }

    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let parent = context[ParentKey.self] else { return }
        injector.inject(parent, forKey: "traceparent", into: &carrier)
    }

    func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext,
        ofKind kind: SpanKind, at instant: @autoclosure () -> Instant, function: String,
        file fileID: String, line: UInt
    ) -> FileSpan {
        let context = context()
        // version "-" trace-id "-" parent-id "-" flags
        let parts = (context[ParentKey.self] ?? "").split(separator: "-").map(String.init)
        return FileSpan(
            operationName, context, trace: parts.count == 4 ? parts[1] : "",
            start: instant().nanosecondsSinceEpoch, append)
    }

    func forceFlush() {}

    /// A line is written in one piece, so that what a killed process wrote stays whole.
    private func append(_ line: String) {
        if !FileManager.default.fileExists(atPath: url.path) {
            _ = FileManager.default.createFile(atPath: url.path, contents: nil)
        }
        guard let file = try? FileHandle(forWritingTo: url) else { return }
        defer { try? file.close() }
        _ = try? file.seekToEnd()
        try? file.write(contentsOf: Data((line + "\n").utf8))
    }
}

/// A span that is written when it ends. A lock guards what changes, which is why `@unchecked
/// Sendable` is safe.
final class FileSpan: Span, @unchecked Sendable {
    let context: ServiceContext
    let isRecording = true
    private let lock = NSLock()
    private let trace: String
    private let start: UInt64
    private let write: @Sendable (String) -> Void
    private var name: String
    private var values: SpanAttributes = [:]
    private var status: SpanStatus?

    init(
        _ name: String, _ context: ServiceContext, trace: String, start: UInt64,
        _ write: @escaping @Sendable (String) -> Void
    ) {
        self.name = name
        self.context = context
        self.trace = trace
        self.start = start
        self.write = write
    }

    var operationName: String {
        get { lock.withLock { name } }
        set { lock.withLock { name = newValue } }
    }

    var attributes: SpanAttributes {
        get { lock.withLock { values } }
        set { lock.withLock { values = newValue } }
    }

    func setStatus(_ status: SpanStatus) { lock.withLock { self.status = status } }

    func addEvent(_ event: SpanEvent) {}

    func addLink(_ link: SpanLink) {}

    func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {}

    func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        var members = [
            "name": operationName, "trace": trace, "start": "\(start)",
            "end": "\(instant().nanosecondsSinceEpoch)",
        ]
        attributes.forEach { key, value in
            switch value.toSpanAttribute() {
            case .string(let text): members[key] = text
            case .bool(let isTrue): members[key] = "\(isTrue)"
            default: members[key] = "\(value)"
            }
        }
        if let line = try? JSONEncoder().encode(members) {
            write(String(decoding: line, as: UTF8.self))
        }
    }
}
