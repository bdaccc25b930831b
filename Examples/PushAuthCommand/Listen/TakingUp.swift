import PushCore

/// What no push brought: what an earlier process or another one left, and what the vendors' lists have.
extension Listener {
    /// Sends again what hasn't been taken yet, unless that goes on already.
    func resume() async {
        guard !isResuming else { return }
        isResuming = true
        defer {
            isResuming = false
            toldMeanwhile = []
        }
        do {
            for (id, outcome) in try await session.authenticator.resume() {
                await tell(id, outcome)
            }
        } catch {
            await tell(error)
        }
    }

    private func tell(_ id: Challenge.ID, _ outcome: Outcome) async {
        guard let record = try? await session.authenticator.record(of: id) else { return }
        guard let resolution = record.state.resolution else { return }
        let isDecided = if case .decided = record.state { true } else { false }
        guard isDecided || !toldMeanwhile.contains(id) else { return }
        // First, as another look would tell it once more.
        if isDecided { waiting.insert(id) } else { waiting.remove(id) }
        await show(
            .answered(
                OutcomeReport(id: id, resolution: resolution, outcome: outcome), rule: nil))
        if !isDecided { end(id, outcome.status(for: resolution)) }
    }

    /// Tells of a failure that ends nothing.
    func tell(_ error: any Error, of enrollment: Enrollment.ID? = nil) async {
        await show(.failed(Failure(error), of: enrollment))
    }

    // MARK: Judging

    /// What is open among records. What is decided is waited for: a living process that sends it is left
    /// alone for a while.
    func openIDs(among records: [ChallengeRecord]) -> [Challenge.ID] {
        var ids: [Challenge.ID] = []
        for record in records {
            switch record.state {
            case .open: ids.append(record.id)
            case .decided: waiting.insert(record.id)
            case .answered, .over: break
            @unknown default: break
            }
        }
        return ids
    }

    /// Judges challenges, and returns once all are.
    func judge(all ids: [Challenge.ID]) async {
        await forEach(ids, of: { $0.enrollment.provider }) { await self.judge($0) }
    }

    /// Judges challenges in the background.
    ///
    /// - Returns: Those of vendors at which that goes on already.
    func judgeBeside(_ ids: [Challenge.ID]) -> [Challenge.ID] {
        var rest: [Challenge.ID] = []
        for (provider, ids) in Dictionary(grouping: ids, by: \.enrollment.provider) {
            guard catchingUp.insert(provider).inserted else {
                rest += ids
                continue
            }
            Task {
                for id in ids { await judge(id) }
                catchingUp.remove(provider)
            }
        }
        return rest
    }

    /// Judges later what is on record.
    func postpone(_ ids: [Challenge.ID]) {
        // Where the vendors are polled, the updates bring it, too.
        if !leavesNews { postponed += ids }
    }

    /// Judges what was postponed, as far as that doesn't go on already.
    func judgePostponed() {
        postponed = judgeBeside(postponed)
    }

    /// Judges what another process of this device found first, such as `pushauth pending`: to this
    /// one, it's never new.
    func judgeWhatOthersFound() async {
        // What is judged from here on may not be in the records that are read.
        let before = seen
        do {
            let records = try await session.authenticator.records()
            seen.subtract(before.subtracting(records.map(\.id)))
            // Where that goes on already, the next look finds them.
            _ = judgeBeside(
                records.filter { $0.state == .open && !seen.contains($0.id) }.map(\.id))
        } catch {
            await tell(error)
        }
    }

    /// Does something with each item, one vendor's after another and those of several vendors at once: one
    /// that doesn't answer keeps no other's waiting.
    func forEach<Item: Sendable>(
        _ items: [Item], of provider: (Item) -> ProviderID?,
        _ body: @escaping @Sendable (Item) async -> Void
    ) async {
        await withTaskGroup(of: Void.self) { group in
            for items in Dictionary(grouping: items, by: provider).values {
                group.addTask { for item in items { await body(item) } }
            }
        }
    }

    // MARK: One device of many

    /// Whether nothing is on its way. What waits for a person needs nobody here.
    func isIdle() async -> Bool {
        guard answering == 0 else { return false }
        guard !waiting.isEmpty else { return true }
        guard let records = try? await session.authenticator.unfinishedRecords() else {
            return false
        }
        return !records.contains { if case .decided = $0.state { true } else { false } }
    }

    /// Sends what was decided. No vendor is asked what else waits, and one that hangs is spared.
    ///
    /// - Parameter judges: Whether what is open is judged as well.
    /// - Returns: Whether all of that was judged.
    @discardableResult
    func takeUp(judging judges: Bool) async -> Bool {
        await VendorQuestions.sparing { await self.resume() }
        do {
            let records = try await session.authenticator.unfinishedRecords()
            let ids = openIDs(among: records)
            guard judges else { return true }
            delayed = []
            // A policy's fresh answer doesn't wait for the end of a pause.
            await VendorQuestions.isAsking.withValue(true) { await self.judge(all: ids) }
            return delayed.isEmpty
        } catch {
            await tell(error)
            return false
        }
    }

    /// Asks the vendors what waits, but for those that want to be left alone or hang. What one lists is
    /// taken before another has answered.
    func poll() async {
        do {
            let enrollments = try await session.authenticator.enrollments()
            await withTaskGroup(of: Void.self) { group in
                for enrollment in enrollments
                where enrollment.state != .movedAway && hasList(enrollment.id.provider) {
                    group.addTask { await self.poll(enrollment.id) }
                }
            }
        } catch {
            await tell(error)
        }
    }

    private func hasList(_ provider: ProviderID) -> Bool {
        session.providers.contains {
            $0.id == provider && $0.capabilities.contains(.pendingList)
        }
    }

    private func poll(_ id: Enrollment.ID) async {
        let places = places(of: id.provider)
        await places.enter()
        let answer = await VendorQuestions.sparing { [session] in
            await Result { () async throws(PushError) in
                try await session.authenticator.pending(for: id)
            }
        }
        await places.leave()
        do throws(PushError) {
            await takeOwn(try answer.get())
        } catch  where error.isDelay {
            // It is asked in the next round.
        } catch {
            await tell(error, of: id)
        }
    }
}
