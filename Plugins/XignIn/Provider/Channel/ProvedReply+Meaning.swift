import PushCore

extension ProvedReply {
    /// Whether the manager refused because of the time that the request claims.
    var isClockSkew: Bool {
        status == 401 && data.members["error"] == "clock_skew"
    }

    /// What the manager said.
    var meaning: XignInReply<Claims> {
        get throws(PushError) {
            status == 200 ? .done(data) : .refused(try refusal)
        }
    }

    private var refusal: XignInRefusal {
        get throws(PushError) {
            switch (status, data.members["error"]?.string) {
            case (400, "factors_missing"): .factorsMissing
            case (401, _): .requestRefused(status: status)
            case (403, "activation_locked"): .locked(try lockout)
            case (404, "process_unknown"): .processUnknown
            case (404, "activation_unknown"): .activationUnknown
            case (409, "process_already_started"): .processTaken
            case (409, "process_not_started"): .processCancelled
            case (409, "process_finished"): .processFinished
            case (409, "activation_used"): .linkUsed
            case (410, "process_expired"): .processExpired
            case (410, "process_cancelled"): .processCancelled
            case (410, "activation_expired"): .linkExpired
            case (426, _): .versionUnsupported(minimum: try data.optionalText("min_api"))
            default: .malformed(status: status)
            }
        }
    }

    private var lockout: LockoutInformation {
        get throws(PushError) {
            guard let lockout = try data.optionalObject("lockout") else {
                return LockoutInformation(
                    kind: .pending, seconds: 0, remaining: nil, isPermanent: false)
            }
            return try LockoutInformation(lockout)
        }
    }
}

extension LockoutInformation {
    init(_ claims: Claims) throws(PushError) {
        guard let kind = Kind(rawValue: try claims.text("kind")) else { throw Claims.wrong("kind") }
        self.init(
            kind: kind, seconds: Int(try claims.integer("seconds")),
            remaining: try claims.optionalInteger("remaining").map(Int.init),
            isPermanent: try claims.bool("permanent"))
    }
}
