import ArgumentParser
import PushCore
import TerminalIO

/// Why a command ends without what it was asked for: said on standard error, with what to do next.
struct Failure: Error {
    let status: ExitStatus
    let text: String
    let advice: String?

    init(_ status: ExitStatus, _ text: String, advice: String? = nil) {
        self.status = status
        self.text = text
        self.advice = advice
    }

    init(_ error: PushError) {
        status = ExitStatus(error.code)
        // The core says what a program does about it, not a person.
        text = error.code == .locked ? "The guard of its keys is locked." : error.reason
        advice = (error.underlying as? Advice)?.text ?? Self.advice(for: error)
    }

    init(_ status: ExitStatus, _ fault: BoundedInput.Fault) {
        self.init(status, fault.description, advice: fault.advice)
    }

    init(_ error: any Error) {
        switch error {
        case let error as Failure: self = error
        case let error as PushError: self.init(error)
        case let error as BoundedInput.Fault: self.init(.failed, error)
        default: self.init(.failed, printable("\(error)"))
        }
    }

    /// Whether both say the same.
    func isSame(as other: Failure) -> Bool {
        status == other.status && text == other.text && advice == other.advice
    }

    /// Says it.
    ///
    /// - Parameter count: How many enrollments it keeps from something.
    func report(concerning count: Int = 1) {
        let label = Terminal.error.colored("pushauth:", .red)
        let concern = count > 1 ? " This concerns \(FleetListing.enrollments(count))." : ""
        Terminal.error.write("\(label) \(printable(text, limit: 1000))\(concern)\n")
        if let advice { Terminal.error.write(printable(advice, limit: 1000) + "\n") }
    }

    private static func advice(for error: PushError) -> String? {
        switch error.code {
        case .unreachable: "The server did nothing. Try again once it can be reached."
        case .interrupted:
            "The server may have taken it. `pushauth pending` asks what it still waits for."
        case .untrustedServer where error.reason.hasSuffix("by this machine's clock."):
            "If `date` shows another time than it is, set the clock. Else the server needs a new "
                + "certificate."
        case .untrustedServer:
            "If a private authority vouches for the server, name its certificate: --authorities."
        case .pinMismatch:
            "It shows none of the keys that [pins] in the configuration names: don't go on until you "
                + "know why. `push-lab pin HOST` prints what it shows."
        case .insecureRequest: "For a server on this machine: --plain-http."
        case .missingDeviceToken:
            "The vendor wants a device token. " + NextStep.listen
                + " One that is made elsewhere: `pushauth token set --fcm TOKEN`."
        case .invitationSpent: "Ask for a new code: this one can't be used any more."
        case .listRefused: "Pushes and answers go on. `pushauth refresh` asks again."
        case .alreadyEnrolled: "`pushauth list` shows it; `pushauth remove` ends it."
        case .verificationFailed: "Nothing was sent. Bring what is asked for, and try again."
        case .locked: CommandGuard.advice
        case .guardLost: "Remove it, and enroll again."
        case .notTaken(let refusal) where refusal.reason == .verification:
            "Check the PIN; too many wrong ones block the enrollment."
        case .movedAway: "`pushauth import` of its file brings it back."
        case .over: "`pushauth show` tells how it ended."
        case .decidedOtherwise: "The first decision stands; `pushauth show` tells which."
        default: nil
        }
    }
}

/// What to do about an error of this program's own, which travels as the error's cause.
struct Advice: Error {
    let text: String

    init(_ text: String) { self.text = text }
}

/// Runs a command's work, and turns what it throws into a message and an exit code.
func reporting(_ work: () async throws -> ExitStatus) async throws {
    let status: ExitStatus
    do {
        status = try await work()
    } catch let error as ExitCode {
        throw error
    } catch {
        let failure = Failure(error)
        failure.report()
        throw failure.status.exitCode
    }
    if status != .done { throw status.exitCode }
}

/// The same for work that Ctrl-C calls off: what it has begun is brought to an end that the next
/// command can go on from, and then the process ends as interrupted.
///
/// - Parameters:
///   - leavesWork: Whether `pushauth refresh` goes on from an exchange that was broken off.
///   - work: The work.
/// - Throws: How the process ends.
func performing(
    leavesWork: Bool = false, _ work: @escaping @Sendable (Cutoff) async throws -> ExitStatus
) async throws {
    let cutoff = Cutoff()
    let (interruption, task) = Interruption.cancelling(and: { cutoff.cut() }) {
        try await work(cutoff)
    }
    let result = await task.result
    if let code = interruption.exitCode {
        if case .failure(let error) = result, Failure(error).status != .verification {
            Failure(error).report()
        }
        let isBegun = leavesWork && cutoff.hasExchanged
        Terminal.error.write(
            "Interrupted." + (isBegun ? " `pushauth refresh` finishes what was begun." : "") + "\n")
        throw ExitCode(code)
    }
    try await reporting { try result.get() }
}
