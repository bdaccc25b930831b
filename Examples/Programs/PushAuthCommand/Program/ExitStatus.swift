import ArgumentParser
import PushCore

/// What the process exits with, so that a script can tell what came of it.
enum ExitStatus: Int32, CaseIterable {
    case done = 0
    case failed = 1
    case notFound = 3
    case network = 4
    case store = 5
    case verification = 6
    case notTaken = 7
    case over = 8
    case unknown = 9
    case nothingCame = 10
    case denied = 11
    case untrusted = 12
    case usage = 64

    var meaning: String {
        switch self {
        case .done: "it was done; an answer was delivered"
        case .failed: "something else failed"
        case .notFound: "nothing has this ID or what was selected, or more than one has"
        case .network: "the server couldn't be reached, its reply was lost, or it was an error"
        case .store:
            "the store, its key, the configuration or a credential can't be used, or a file can't be "
                + "written"
        case .verification:
            "the user couldn't be verified: a PIN or password is wrong, too short or missing, or "
                + "the user said no"
        case .notTaken: "the vendor didn't take the answer"
        case .over: "the challenge is over: expired, cancelled, or answered already"
        case .unknown: "whether the vendor took the answer isn't known"
        case .nothingCame: "the time ran out before anything came"
        case .denied: "a policy or the user said no, where --once waits for one answer"
        case .untrusted: "a message, a reply or a server couldn't be trusted"
        case .usage: "wrong usage"
        }
    }

    var exitCode: ExitCode { ExitCode(rawValue) }

    /// All of them, for `--help`. An interruption is 128 and its signal, as in every shell.
    static var table: String {
        allCases.map { "\($0.rawValue) \($0.meaning)" }.joined(separator: "; ")
            + "; 130 interrupted; 143 ended by SIGTERM."
    }

    /// What an answer's outcome exits with.
    init(_ outcome: Outcome) {
        self =
            switch outcome {
            case .delivered, .code: .done
            case .notTaken(let refusal): refusal.reason == .verification ? .verification : .notTaken
            case .expired, .answeredElsewhere, .cancelled: .over
            case .verifyAgain: .verification
            case .ended, .unknown: .unknown
            @unknown default: .unknown
            }
    }

    /// What an error exits with.
    init(_ code: PushError.Code) {
        self =
            switch code {
            case .notFound, .unknownEnrollment: .notFound
            case .unreachable, .interrupted, .oversizedReply, .server: .network
            case .storage, .storageUnknown, .conflict, .unsupportedRecord: .store
            case .verificationFailed, .cancelled, .blocked, .locked, .guardLost: .verification
            case .notTaken(let refusal): refusal.reason == .verification ? .verification : .notTaken
            case .over, .decidedOtherwise: .over
            case .untrusted, .malformed, .untrustedServer, .pinMismatch, .insecureRequest:
                .untrusted
            case .unsupported, .movedAway, .invalidInvitation, .invitationSpent, .alreadyEnrolled,
                .missingDeviceToken, .invalidResolution, .listRefused, .duplicateProvider,
                .notificationRefused, .invalidArgument:
                .failed
            @unknown default: .failed
            }
    }
}
