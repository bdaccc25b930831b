import HTTPTypes
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One process's network, on which all goes wrong that can.
struct WorldTransport: Transport {
    enum Fault: String, CaseIterable {
        case unreachable, droppedBefore, droppedAfter, late
        case gateway, gatewayAfter, tooMany, refusedFar
        case duplicate, slow, truncated, corrupted
    }

    let world: World
    let life: Life

    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        let diesAfter = try await world.admit(life)
        guard !Task.isCancelled else {
            throw PushError(.cancelled, "Cancelled before anything was sent.")
        }
        let fault = drawFault()
        let path = request.path ?? ""
        world.transmissions += 1
        let exchange = World.Exchange(request: request, body: body, number: world.transmissions)
        world.note(
            "p\(life.process) → \(path) \(fault.map { "\($0)" } ?? "")\(world.describe(exchange))")
        judgePatience(exchange)
        world.elapsed += 5 + world.draw.below(40)
        if world.mutation == .hangs, world.draw.percent(5) {
            await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
        }
        var reply = try await carry(exchange, fault)
        notePause(exchange, reply.response)
        if world.mutation == .hidesPauses { reply.response.headerFields[.retryAfter] = nil }
        if diesAfter { world.kill(life) }
        await world.hop()
        guard life.isAlive else { throw await world.buried() }
        world.note("p\(life.process) ← \(path) \(reply.response.status.code)")
        guard !Task.isCancelled else { throw Self.interrupted }
        return reply
    }

    /// Whether a pause is over. A store that fails and a clock that is set may lose one; another
    /// process may not know of it yet.
    private func judgePatience(_ exchange: World.Exchange) {
        guard let challenge = world.challenge(answeredBy: exchange),
            let pause = world.pauses[challenge],
            world.elapsed < pause.end, pause.life == life.number,
            world.settings.storeFaults == 0, world.tally[.clockSet] == 0
        else { return }
        world.violate(
            .patience, "\(challenge) was sent \(pause.end - world.elapsed) ms too early")
    }

    private func notePause(_ exchange: World.Exchange, _ response: HTTPResponse) {
        guard response.headerFields[.retryAfter] != nil,
            let challenge = world.challenge(answeredBy: exchange)
        else { return }
        // A date is exact to the second.
        world.pauses[challenge] = (world.elapsed + world.lastPause - 1000, life.number)
    }

    private func drawFault() -> Fault? {
        guard !world.isHealed else { return nil }
        if world.isOffline { return .unreachable }
        guard world.draw.percent(world.settings.networkFaults) else { return nil }
        let fault = world.draw.pick(Fault.allCases)
        if let event = Tally.Event(rawValue: fault.rawValue) { world.tally.count(event) }
        return fault
    }

    private func carry(
        _ exchange: World.Exchange, _ fault: Fault?
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        switch fault {
        case .unreachable: throw PushError(.unreachable, "No server.")
        case .droppedBefore: throw Self.interrupted
        case .late:
            world.after(500 + world.draw.below(20_000)) { [world] in
                world.note("late \(exchange.path)")
                Task { _ = await world.respond(to: exchange, .late) }
            }
            throw Self.interrupted
        case .gateway: return gateway(world.draw.pick([500, 502, 503]))
        case .tooMany: return gateway(429)
        case .refusedFar: return gateway(world.draw.pick([401, 403]))
        case .slow:
            await world.sleep(200 + world.draw.below(8000))
            guard life.isAlive else { throw await world.buried() }
        default: break
        }
        var reply = await world.respond(to: exchange, .first)
        switch fault {
        case .duplicate: reply = await world.respond(to: exchange, .duplicate)
        case .droppedAfter: throw Self.interrupted
        case .gatewayAfter: return gateway(world.draw.pick([500, 502, 503]))
        case .truncated: reply.body = reply.body.prefix(world.draw.below(reply.body.count + 1))
        case .corrupted where !reply.body.isEmpty:
            var bytes = Array(reply.body)
            bytes[world.draw.below(bytes.count)] ^= 1 << UInt8(world.draw.below(8))
            reply.body = Data(bytes)
            world.corrupted(exchange)
        case .slow:
            await world.sleep(200 + world.draw.below(8000))
            guard life.isAlive else { throw await world.buried() }
        default: break
        }
        return reply
    }

    /// A reply that isn't the vendor's.
    private func gateway(_ status: Int) -> (response: HTTPResponse, body: Data) {
        var response = HTTPResponse(status: .init(code: status))
        let now = world.serverNow / 1000
        if status == 401 || status == 403 {
            let years = world.draw.pick([-10, 10])
            response.headerFields[.date] = DeltaWire.date(now + years * 31_557_600)
        }
        if status == 429 || status == 503, world.draw.percent(70) {
            let seconds = 1 + world.draw.below(60)
            world.lastPause = seconds * 1000
            // A date means something beside the server's own alone (RFC 9110, section 6.6.1).
            let isDate = world.draw.percent(50)
            response.headerFields[.retryAfter] =
                isDate ? DeltaWire.date(now + seconds) : "\(seconds)"
            if isDate { response.headerFields[.date] = DeltaWire.date(now) }
        }
        return (response, Data("nothing".utf8))
    }

    private static let interrupted = PushError(.interrupted, "The connection broke.")
}
