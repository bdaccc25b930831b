import PushCore

/// What failed for several enrollments: what they have in common, such as a server that can't be
/// reached, is said once.
struct Failures: Sendable {
    private var kinds: [(failure: Failure, count: Int)] = []

    /// What the last of them exits with.
    private(set) var status = ExitStatus.done

    /// - Parameters:
    ///   - failure: Why something couldn't be done.
    ///   - count: For how many enrollments.
    mutating func add(_ failure: Failure, count: Int = 1) {
        status = failure.status
        if let index = kinds.firstIndex(where: { $0.failure.isSame(as: failure) }) {
            kinds[index].count += count
        } else {
            kinds.append((failure, count))
        }
    }

    mutating func add(_ others: Failures) {
        for kind in others.kinds { add(kind.failure, count: kind.count) }
    }

    /// Says them.
    func report() {
        for kind in kinds { kind.failure.report(concerning: kind.count) }
    }
}

/// The failures of what is tried again and again: each is said when it begins, once for all the
/// enrollments at one server.
struct RepeatedFailures {
    private let servers: [Enrollment.ID: String]
    private let pause: Duration
    private var seen: [(failure: Failure, last: ContinuousClock.Instant)] = []

    /// - Parameters:
    ///   - enrollments: The enrollments that it can be about.
    ///   - pause: After how long without it, a failure that comes again is a new one.
    init(of enrollments: [Enrollment], isOverAfter pause: Duration) {
        servers = Dictionary(
            enrollments.compactMap { enrollment in
                enrollment.host.map { (enrollment.id, "\($0):\(enrollment.port)") }
            }, uniquingKeysWith: { $1 })
        self.pause = pause
    }

    /// - Parameters:
    ///   - error: Why something couldn't be done.
    ///   - id: The enrollment for which.
    ///   - now: The time.
    /// - Returns: How many enrollments it concerns; `nil` if it was said already.
    mutating func count(
        _ error: PushError, of id: Enrollment.ID, at now: ContinuousClock.Instant = .now
    ) -> Int? {
        let failure = Failure(error)
        seen.removeAll { $0.last.duration(to: now) > pause }
        if let index = seen.firstIndex(where: { $0.failure.isSame(as: failure) }) {
            seen[index].last = now
            return nil
        }
        seen.append((failure, now))
        guard [.unreachable, .untrustedServer, .pinMismatch].contains(error.code),
            let server = servers[id]
        else { return 1 }
        return servers.values.count { $0 == server }
    }
}
