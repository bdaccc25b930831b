/// What is left of a challenge: enough to know it again until no replay can open it.
struct Trace: Hashable, Sendable {
    let name: SipHash.Digest

    /// Until when a replay may come, by the server's clock; `nil` if that isn't known yet.
    var end: CompactDate?

    let verdict: Verdict

    /// What became of the challenge. A later version may have others: for this one, they are over.
    struct Verdict: RawRepresentable, Hashable, Sendable {
        let rawValue: UInt8

        /// A message about it came that wasn't understood. It may be announced yet.
        static let mentioned = Verdict(rawValue: 0)
        /// It ended without a decision on this device.
        static let over = Verdict(rawValue: 1)
        /// It was answered here by a yes, whichever.
        static let approved = Verdict(rawValue: 2)
        /// It was answered here by a no.
        static let denied = Verdict(rawValue: 3)

        /// What the user decided, as far as it is known; `nil` if nothing.
        var resolution: Resolution? {
            if self == .approved { return .approve }
            return self == .denied ? .deny(.unexpected) : nil
        }
    }
}

extension Trace {
    /// What a row leaves that waits for nothing any more.
    init(of row: LedgerRow, _ name: SipHash.Digest) {
        self.name = name
        end = (row.announcement?.notice.expiry ?? row.withdrawal?.expiry)
            .flatMap { CompactDate($0, rounding: .up) }
        verdict =
            switch row.state {
            case .open: .mentioned
            case .decided(let resolution), .answered(let resolution, _):
                resolution.isDenial ? .denied : .approved
            case .over: .over
            }
    }
}

/// The traces of a document, the oldest first.
struct Traces: Hashable, Sendable {
    /// More than these aren't left, whatever their ends: as many challenges must end without two
    /// readings of the server's time that agree.
    static let most = 2000

    private(set) var all: [Trace] = []

    subscript(name: SipHash.Digest) -> Trace? { all.last { $0.name == name } }

    mutating func append(_ traces: [Trace]) { all += traces }

    mutating func remove(_ name: SipHash.Digest) { all.removeAll { $0.name == name } }

    /// Lets go what no replay needs any more, by a moment that has certainly passed at the server:
    /// no wall clock of the device has a say. A trace without an end gets the one that it may have
    /// at the latest.
    mutating func forget(_ passed: CompactDate?, _ limits: Retention) {
        if let passed {
            let surplus = all.count - max(0, limits.count)
            let skew = max(0, limits.skew.inSeconds)
            let age = max(skew, limits.age.inSeconds)
            all = all.enumerated().compactMap { (index, trace) in
                guard let end = trace.end else {
                    var dated = trace
                    dated.end = passed.advanced(by: .seconds(age))
                    return dated
                }
                return passed.seconds(since: end) > (index < surplus ? skew : age) ? nil : trace
            }
        }
        all.removeFirst(max(0, all.count - Self.most))
    }
}

/// The challenges that are over, as another device is told of them.
struct PastChallenges: Sendable {
    /// The key of the traces' names.
    let salt: Secret
    let traces: [Trace]
}
