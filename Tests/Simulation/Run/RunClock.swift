import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One process's clock; what it knows of servers dies with the process.
struct RunClock: PushClock {
    let world: SimulatedRun
    let life: Life
    var serverTime: ServerTime { life.serverTime }

    var now: Date {
        let milliseconds =
            SimulatedRun.start + world.elapsed + world.deviceSkew
            + world.machineSkews[life.process]
        return Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    var elapsed: Duration { .milliseconds(world.elapsed) }

    func sleep(for duration: Duration) async {
        let (seconds, attoseconds) = duration.components
        let milliseconds = Int(attoseconds / 1_000_000_000_000_000)
        await world.sleep(Int(min(seconds, 1_000_000_000)) * 1000 + milliseconds + 1)
        guard !life.isAlive else { return }
        _ = await world.buried()
    }
}

/// Random bytes from the schedule's own generator.
struct RunRandom: RandomSource {
    let world: SimulatedRun

    func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        for index in buffer.indices { buffer[index] = UInt8(truncatingIfNeeded: world.draw.next()) }
    }
}

/// A user who mostly brings what is right, and now and then gives up.
struct RunUser: UserVerifier {
    let world: SimulatedRun
    let life: Life

    func verify(_ request: VerificationRequest) async throws(PushError) -> [Evidence] {
        await world.hop()
        if world.draw.percent(20) { await world.sleep(world.draw.below(5000)) }
        guard life.isAlive else { throw await world.buried() }
        let chance = world.isHealed ? 50 : world.draw.below(100)
        if chance < 8 { throw PushError(.cancelled, "The user gave up.") }
        // What the user sets as a PIN is right from then on.
        if case .join = request.purpose { return world.evidence.right }
        return chance < 20 ? world.evidence.wrong : world.evidence.right
    }
}
