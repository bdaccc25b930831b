import PushCore

/// What the end of an answer means to who listens.
extension Outcome {
    /// Whether it needn't be the vendor's last word.
    var isOpenEnded: Bool {
        switch self {
        case .delivered, .code, .expired, .answeredElsewhere, .cancelled: false
        case .notTaken, .ended, .verifyAgain, .unknown: true
        @unknown default: true
        }
    }

    /// How waiting for one answer ends.
    func status(for resolution: Resolution) -> ExitStatus {
        let status = ExitStatus(self)
        return status == .done && resolution.isDenial ? .denied : status
    }
}
