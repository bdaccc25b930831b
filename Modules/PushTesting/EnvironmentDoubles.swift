public import PushCore

/// A user who answers every request the way a test says, and remembers what was asked.
public actor ScriptedVerifier: UserVerifier {
    /// How a scripted user answers.
    public typealias Script =
        @Sendable (VerificationRequest) async throws(PushError) -> [Evidence]

    private let script: Script

    /// What was asked, oldest first.
    public private(set) var requests: [VerificationRequest] = []

    /// Creates a user.
    public init(_ script: @escaping Script) {
        self.script = script
    }

    /// A user who is there, and brings what the first alternative asks for.
    ///
    /// - Parameter pin: What is typed where a PIN or a code is asked for.
    /// - Returns: The verifier.
    public static func willing(pin: String = "1234") -> ScriptedVerifier {
        ScriptedVerifier { request in
            (request.alternatives.first ?? []).compactMap { factor in
                switch factor {
                case .presence: .presence
                case .pin, .newPIN: .pin(Secret(copying: pin))
                case .biometry, .newBiometry: .biometry(nil)
                case .deviceCredential: .deviceCredential
                case .code: .code(Secret(copying: pin))
                @unknown default: nil
                }
            }
        }
    }

    /// A user who always gives up.
    public static func absent() -> ScriptedVerifier {
        ScriptedVerifier { _ throws(PushError) in
            throw PushError(.cancelled, "The user gave up.")
        }
    }

    /// Answers a request.
    ///
    /// - Throws: What the script throws; mostly `PushError` with the code `cancelled`.
    public func verify(_ request: VerificationRequest) async throws(PushError) -> [Evidence] {
        requests.append(request)
        return try await script(request)
    }
}

/// An observer that keeps everything it hears.
public final class RecordingObserver: PushObserver {
    private let heard = Locked<[PushObservation]>([])
    private let seen = Locked<[ObservedStep]>([])

    /// Creates an observer.
    public init() {}

    /// Everything it heard, oldest first.
    public var observations: [PushObservation] { heard.withLock { $0 } }

    /// Every step it heard of, oldest first.
    public var steps: [ObservedStep] { seen.withLock { $0 } }

    /// Takes one observation.
    public func observe(_ observation: PushObservation) {
        heard.withLock { $0.append(observation) }
    }

    /// Takes one step.
    public func observe(_ step: ObservedStep) {
        seen.withLock { $0.append(step) }
    }
}

/// Repeatable bytes that only look random (SplitMix64). Never for anything that must be secret.
public final class SeededRandom: RandomSource, RandomNumberGenerator {
    private let state: Locked<UInt64>

    /// Creates a source; equal seeds give equal bytes.
    public init(seed: UInt64) {
        state = Locked(seed)
    }

    /// The next 64 bits.
    public func next() -> UInt64 {
        state.withLock { state in
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
            return mixed ^ mixed >> 31
        }
    }

    /// Fills memory.
    public func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        for index in buffer.indices {
            buffer[index] = UInt8(truncatingIfNeeded: next())
        }
    }
}

/// The bytes that a test chose, one after the other; zeros after them.
package final class ScriptedRandom: RandomSource {
    private let rest: Locked<[UInt8]>

    /// Creates a source.
    package init(_ parts: [UInt8]...) { rest = Locked(parts.flatMap(\.self)) }

    /// Whether nothing is left but zeros.
    package var isUsedUp: Bool { rest.withLock { $0.isEmpty } }

    /// Fills memory.
    package func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        rest.withLock { rest in
            let next = rest.prefix(buffer.count)
            buffer.copyBytes(from: next)
            UnsafeMutableRawBufferPointer(rebasing: buffer[next.count...]).zero()
            rest.removeFirst(next.count)
        }
    }
}

/// The same bytes over and over, from the first again at every draw.
package struct RepeatingRandom: RandomSource {
    private let bytes: [UInt8]

    /// Creates a source of at least one byte.
    package init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    /// Fills memory.
    package func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        for index in buffer.indices { buffer[index] = bytes[index % bytes.count] }
    }
}

/// Draws that a test planned by their size, and repeatable bytes for all others.
package final class PlannedRandom: RandomSource {
    private let rest: any RandomSource
    private let plan: Locked<(next: [[UInt8]], always: [Int: [UInt8]])>

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - always: What each draw of as many bytes gets.
    ///   - rest: What the others get.
    package init(always: [UInt8]..., rest: any RandomSource = SeededRandom(seed: 1)) {
        self.rest = rest
        plan = Locked(([], Dictionary(always.map { ($0.count, $0) }) { $1 }))
    }

    /// Adds what the next draws get: each waits for one of its size.
    package func add(_ draws: [UInt8]...) { plan.withLock { $0.next += draws } }

    /// Changes what each draw of a size gets; `nil` for what the others get.
    package func always(_ bytes: [UInt8]?, for count: Int) {
        plan.withLock { $0.always[count] = bytes }
    }

    /// Fills memory.
    package func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        let planned = plan.withLock { plan in
            plan.next.first?.count == buffer.count
                ? plan.next.removeFirst() : plan.always[buffer.count]
        }
        if let planned { buffer.copyBytes(from: planned) } else { rest.fill(buffer) }
    }
}
