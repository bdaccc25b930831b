import PushCore

/// What an earlier process or another one left, and what the vendors' lists have.
extension Listener {
    /// Sends again what hasn't been taken yet.
    func resume() async {
        do {
            for id in try await session.authenticator.resume().keys where courses[id] == nil {
                courses[id] = .waits
            }
        } catch {
            await tell(error)
        }
    }

    /// Finishes what an earlier process began, and judges what it left.
    ///
    /// - Parameter asks: Whether the vendors are asked what waits. Where they are polled, the loop's
    ///   first question does that: one more would be two at once.
    func begin(asking asks: Bool = true) async {
        if left == nil { await noteWhatIsLeft() }
        await resume()
        do {
            if asks { await take(try await session.authenticator.pending().found) }
            await judge(all: try await open().filter { left?.contains($0) == true })
        } catch {
            await tell(error)
        }
    }

    private func open() async throws(PushError) -> [Challenge.ID] {
        try await session.authenticator.unfinishedRecords().filter { $0.state == .open }.map(\.id)
    }

    private func judge(all ids: [Challenge.ID]) async {
        await forEach(ids, of: { $0.enrollment.provider }) { await self.judge($0) }
    }

    /// Looks what became of what waits, where nobody follows all challenges, or for the last time.
    func look() async {
        for id in courses.waiting {
            if let record = try? await session.authenticator.record(of: id) { await take(record) }
        }
    }

    // MARK: One device of many

    /// Whether nothing is on its way. What waits for a person needs nobody here.
    func isIdle() async -> Bool {
        guard answering == 0 else { return false }
        guard !courses.waiting.isEmpty else { return true }
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
        await look()
        guard judges else { return true }
        do {
            let ids = try await open()
            // A policy's fresh answer doesn't wait for the end of a pause.
            await VendorQuestions.isAsking.withValue(true) { await self.judge(all: ids) }
            return ids.allSatisfy { courses[$0] != nil }
        } catch {
            await tell(error)
            return false
        }
    }

    /// Asks the vendors what waits, but for those that want to be left alone or hang. What one
    /// lists is taken before another has answered.
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
            await take(try answer.get())
        } catch  where error.isDelay {
            // It is asked in the next round.
        } catch {
            await tell(error, of: id)
        }
    }
}
