/// What `pushauth listen --metrics` tells. A label never names a user, a device or a challenge.
enum Metric: String, CaseIterable {
    case pushes = "pushauth_pushes_total"
    case answers = "pushauth_answers_total"
    case answerSeconds = "pushauth_answer_seconds"
    case storeSeconds = "pushauth_store_seconds"
    case store = "pushauth_store_total"
    case storeSettled = "pushauth_store_settled_total"
    case unfinished = "pushauth_unfinished"
    case oldestUnfinished = "pushauth_oldest_unfinished_seconds"
    case queue = "pushauth_queue"
    case vendorPauses = "pushauth_vendor_pauses"
    case vendorsHanging = "pushauth_vendors_hanging"
    case connections = "pushauth_connections"
    case connectionsUnproved = "pushauth_connections_unproved"
    case connectionsLimit = "pushauth_connections_limit"
    case connectionsUnprovedLimit = "pushauth_connections_unproved_limit"
    case connectionsClosed = "pushauth_connections_closed_total"

    /// How a scraper adds values up.
    enum Kind: String {
        case counter, gauge, histogram
    }

    var kind: Kind {
        switch self {
        case .pushes, .answers, .store, .storeSettled, .connectionsClosed: .counter
        case .answerSeconds, .storeSeconds: .histogram
        case .unfinished, .oldestUnfinished, .queue, .vendorPauses, .vendorsHanging, .connections,
            .connectionsUnproved, .connectionsLimit, .connectionsUnprovedLimit:
            .gauge
        }
    }

    /// The names of the labels, in the order in which values are given.
    var labels: [String] {
        switch self {
        case .pushes: ["intake", "verdict"]
        case .answers: ["provider", "outcome"]
        case .storeSeconds: ["operation"]
        case .store: ["operation", "code"]
        case .storeSettled: ["result"]
        default: []
        }
    }

    var help: String {
        switch self {
        case .pushes: "Pushes by what was made of them: taken, foreign, dropped, or the error."
        case .answers: "Challenges that came to an end, by the vendor's word or why they are over."
        case .answerSeconds: "Time from a decision to the vendor's word on it."
        case .storeSeconds: "Time that the store took."
        case .store: "Calls of the store, by what came of them: done, or the error."
        case .storeSettled: "Writes whose reply was lost, by what the store then found."
        case .unfinished: "Challenges that wait for a person or for the vendor's word."
        case .oldestUnfinished: "Age of the oldest of them; 0 if there is none."
        case .queue: "Pushes that were accepted and aren't done."
        case .vendorPauses: "Servers that asked to be left alone for a time that isn't over."
        case .vendorsHanging: "Servers that let a question or an answer wait for seconds."
        case .connections: "Connections to the intakes."
        case .connectionsUnproved: "Those of them on which no credential was accepted."
        case .connectionsLimit: "How many connections are kept."
        case .connectionsUnprovedLimit: "How many of them without an accepted credential."
        case .connectionsClosed: "Connections that were closed for the next one."
        }
    }

    /// The upper bounds of a histogram's buckets, in seconds.
    var bounds: [Double] {
        switch self {
        case .answerSeconds: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
        case .storeSeconds:
            [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
        default: []
        }
    }
}

/// How values of one kind are spread.
struct Histogram {
    private let bounds: [Double]

    /// How many fell under each bound and over the one before it; last, those over all.
    private var counts: [UInt64]
    private var sum = 0.0

    init(_ bounds: [Double]) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count + 1)
    }

    mutating func add(_ value: Double) {
        counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
        sum += value
    }

    /// The lines of a text: each bucket counts what the smaller ones do.
    func lines(_ name: String, _ labels: [(String, String)]) -> [String] {
        var total: UInt64 = 0
        var lines: [String] = []
        for (bound, count) in zip(bounds.map { "\($0)" } + ["+Inf"], counts) {
            total += count
            lines.append(MetricsText.line(name + "_bucket", labels + [("le", bound)], "\(total)"))
        }
        lines.append(MetricsText.line(name + "_sum", labels, "\(sum)"))
        lines.append(MetricsText.line(name + "_count", labels, "\(total)"))
        return lines
    }
}

/// Prometheus' text format, version 0.0.4.
enum MetricsText {
    static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    static func heading(_ metric: Metric) -> [String] {
        [
            "# HELP \(metric.rawValue) \(metric.help)",
            "# TYPE \(metric.rawValue) \(metric.kind.rawValue)",
        ]
    }

    static func line(_ name: String, _ labels: [(String, String)], _ value: String) -> String {
        let pairs = labels.map { "\($0)=\"\(escaped($1))\"" }.joined(separator: ",")
        return name + (pairs.isEmpty ? "" : "{\(pairs)}") + " " + value
    }

    /// A name of a provider may hold anything.
    private static func escaped(_ value: String) -> String {
        value.unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}
