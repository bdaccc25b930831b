import PushCore

/// The proximity codes that came, each for its operation. They are good for seconds, so memory is
/// enough; and a code for an operation that was announced before must find it.
actor ProximityCodes {
    private static let greatestCount = 32

    private var codes: [(id: Challenge.ID, code: ReceivedProximityCode)] = []

    /// The newest code for an operation.
    func code(for id: Challenge.ID) -> ReceivedProximityCode? {
        codes.first { $0.id == id }?.code
    }

    func keep(_ code: ReceivedProximityCode, for id: Challenge.ID) {
        forget(id)
        codes.append((id, code))
        codes = codes.suffix(Self.greatestCount)
    }

    /// Forgets a code that was used: the next try needs the next code.
    func forget(_ id: Challenge.ID) {
        codes.removeAll { $0.id == id }
    }
}
