import ArgumentParser
import PushCore

/// Which ways in there are.
struct IntakeOptions: ParsableArguments {
    @Flag(help: "Read pushes from standard input: a JSON object on each line.")
    var stdin = false

    func check() throws {
        guard stdin else {
            throw ValidationError("Say how pushes come in: --stdin.")
        }
    }

    /// The intakes that were asked for.
    func intakes(
        for session: Session, at place: GlobalOptions,
        reports: @escaping @Sendable (Failure) -> Void, finished: @escaping @Sendable () -> Void
    ) async throws(Failure) -> [any Intake] {
        stdin ? [StandardInputIntake(reports: reports, finished: finished)] : []
    }

    /// Tells the vendors where pushes reach this process.
    func tellToken(_ session: Session) async throws(Failure) {}
}
