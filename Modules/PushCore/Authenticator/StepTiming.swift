/// How the parts of an authenticator tell the observer of a challenge's steps.
extension AuthenticatorCore {
    /// Does something for a challenge, and tells how long it took and what came of it.
    func timing<Value>(
        _ kind: ObservedStep.Kind, of id: Challenge.ID, isRepeated: Bool = false,
        ending: (Value) -> ObservedStep.Ending = { _ in .done },
        _ body: () async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        let start = environment.clock.elapsed
        do throws(PushError) {
            let value = try await body()
            tell(kind, of: id, ending(value), since: start, isRepeated: isRepeated)
            return value
        } catch {
            tell(kind, of: id, .failed(error.code.name), since: start, isRepeated: isRepeated)
            throw error
        }
    }

    /// Tells of a step that began at a moment, by the clock's `elapsed`; `nil` for one that took no time.
    @inline(never) func tell(
        _ kind: ObservedStep.Kind, of id: Challenge.ID, _ ending: ObservedStep.Ending,
        since start: Duration?, isRepeated: Bool = false
    ) {
        environment.observer.observe(
            ObservedStep(
                kind, of: TraceID(of: id), by: id.enrollment.provider, ending,
                taking: start.map { environment.clock.elapsed - $0 } ?? .zero,
                isRepeated: isRepeated))
    }

    /// Tells what became of a message that was taken since a moment.
    func tell(_ reception: Reception, since start: Duration) {
        guard let id = reception.challenge else { return }
        tell(.receive, of: id, .done, since: start, isRepeated: !reception.isNew)
    }
}

extension PushError.Code {
    /// The name of the case, such as `unreachable`, without its content: fit for a log and a
    /// counter.
    public var name: String { String(String(describing: self).start(before: "(")) }
}

extension Outcome {
    /// The name of the case, without what it holds: a code is the user's alone.
    var name: String { json["is"]?.string ?? "" }
}
