import PushCore
import PushXignIn

extension ProvedReply {
    /// Whether the manager refused because of the time that the request claims.
    var isClockSkew: Bool {
        status == 401 && data.members["error"] == "clock_skew"
    }

    /// What the manager said.
    ///
    /// - Throws: `PushError` with the code `server` for a refusal that the format doesn't have: it
    ///   says nothing about what was asked.
    var meaning: XignInReply<Claims> {
        get throws(PushError) {
            status == 200 ? .done(data) : .refused(try refusal)
        }
    }

    private var refusal: XignInRefusal {
        get throws(PushError) {
            switch (status, data.members["error"]?.string) {
            case (400, "malformed_request"): .malformed(status: status)
            case (400, "factors_missing"): .factorsMissing
            case (401, "clock_skew"), (401, "invalid_device_signature"), (401, "replayed_request"):
                .requestRefused(status: status)
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
            case (426, "api_version_unsupported"):
                .versionUnsupported(minimum: try data.optionalText("min_api"))
            default: throw undocumented
            }
        }
    }

    private var lockout: LockoutInformation {
        get throws(PushError) {
            guard let lockout = try? LockoutInformation(try data.object("lockout")),
                lockout.kind == .pending
            else { throw undocumented }
            return lockout
        }
    }

    private var undocumented: PushError {
        PushError(.server(status: status), "The manager's refusal isn't one that the format has.")
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
