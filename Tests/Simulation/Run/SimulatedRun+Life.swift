import PushCore

extension SimulatedRun {
    /// Counts an operation of a process, and kills the process at the drawn one.
    ///
    /// - Returns: Whether it must be killed right after the operation's effect.
    func admit(_ life: Life) async throws(PushError) -> Bool {
        await hop()
        guard life.isAlive else { throw await buried() }
        life.operations += 1
        guard life.operations == life.killedAt, !isHealed else { return false }
        if life.killedAfter { return true }
        kill(life)
        throw await buried()
    }

    /// Never returns while the schedule runs.
    func buried() async -> PushError {
        if !isTornDown { await withUnsafeContinuation { graves.append($0) } }
        return dead
    }

    func kill(_ life: Life) {
        guard life.isAlive else { return }
        life.isAlive = false
        if !isHealed { tally.count(.kill) }
        processes[life.process].authenticator = nil
        processes[life.process].opened = []
        note("p\(life.process) KILLED at operation \(life.operations)")
    }

    /// Lets go of everything that still waits.
    func tearDown() {
        isTornDown = true
        for process in processes where process.life.isAlive { kill(process.life) }
        for _ in 0..<50 {
            let buried = graves
            graves = []
            for continuation in buried { continuation.resume() }
            let asleep = sleepers
            sleepers = []
            for sleeper in asleep { sleeper.wake() }
            run(2000)
            if graves.isEmpty, sleepers.isEmpty { break }
        }
        if scheduler.realTimers > 0 {
            violate(.noSurprise, "something asked for a real timer")
        }
        scheduler.end()
    }
}
