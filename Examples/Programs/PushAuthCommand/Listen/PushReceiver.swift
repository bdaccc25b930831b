import PushCore

/// Puts pushes on record, and says what was made of each.
struct PushReceiver: Sendable {
    let session: Session
    let show: @Sendable (ListenEvent) async -> Void

    /// Called with the exit status of what couldn't be trusted or read.
    let refused: @Sendable (ExitStatus) -> Void

    /// Called with what is on record, to act on it.
    let act: @Sendable ([Reception]) async -> Void

    /// Takes a push, and returns once it is on record; if its vendor must be asked about it, once that
    /// has begun. What is asked is lost with this process, so its sender hears after the answer.
    func take(_ push: IncomingPush) async -> TakenPush {
        if let drop = push.drop {
            await show(.push(push, .dropped(drop)))
            return TakenPush(.dropped(drop))
        }
        let receipt: Receipt
        do {
            let accepted = try await VendorQuestions.isAsking.withValue(true) {
                await Result { () async throws(PushError) in
                    try await session.authenticator.accept(push.message)
                }
            }.get()
            if let question = accepted.question {
                return TakenPush { await answered(question, of: push) }
            }
            receipt = accepted.receipt
        } catch {
            return TakenPush(await refuse(push, error))
        }
        let receptions = receipt.receptions
        let verdict: PushVerdict = receipt.isOurs ? .taken(receptions.count) : .foreign
        await show(.push(push, verdict, Subject(receptions)))
        return taken(verdict, receptions)
    }

    private func taken(_ verdict: PushVerdict, _ receptions: [Reception]) -> TakenPush {
        guard !receptions.isEmpty else { return TakenPush(verdict) }
        var taken = TakenPush(verdict, of: receptions.first?.enrollment?.provider) {
            await act(receptions)
        }
        // Whoever looks after what waits judges it once it is its turn.
        taken.left = {
            await act(receptions.filter { if case .notice = $0.kind { false } else { true } })
        }
        return taken
    }

    /// Takes what the vendor says that a push was about. Nothing but that tells how many events it is.
    private func answered(
        _ question: Task<Result<Receipt, PushError>, Never>, of push: IncomingPush
    ) async -> TakenPush {
        do {
            let receptions = try await question.valueWhileWanted().get().receptions
            await show(.push(push, .taken(receptions.count), Subject(receptions)))
            return taken(.taken(receptions.count), receptions)
        } catch {
            return TakenPush(await refuse(push, error))
        }
    }

    private func refuse(_ push: IncomingPush, _ error: PushError) async -> PushVerdict {
        refused(ExitStatus(error.code))
        await show(.push(push, .refused(error.code), Subject(error.provider)))
        return .refused(error.code)
    }
}
