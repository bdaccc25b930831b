import HTTPTypes
import PushCore

@testable import FictionalVendor

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One process's network, on which all goes wrong that can.
struct RunTransport: Transport {
    enum Fault: String, CaseIterable {
        case unreachable, droppedBefore, droppedAfter, late
        case gateway, gatewayAfter, tooMany, refusedFar
        case duplicate, slow, truncated, corrupted
        case stranger, strangerAfter, echo, lyingDate
    }

    let world: SimulatedRun
    let life: Life

    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        let diesAfter = try await world.admit(life)
        guard !Task.isCancelled else {
            throw PushError(.cancelled, "Cancelled before anything was sent.")
        }
        let path = request.path ?? ""
        world.transmissions += 1
        let exchange = SimulatedRun.Exchange(
            request: request, body: body, number: world.transmissions)
        let fault = drawFault(exchange)
        world.note(
            "p\(life.process) → \(path) \(fault.map { "\($0)" } ?? "")\(world.describe(exchange))")
        judgePatience(exchange)
        judgeFlood(exchange)
        world.elapsed += 5 + world.draw.below(40)
        if world.mutation == .hangs, world.draw.percent(5) {
            await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
        }
        var reply = try await carry(exchange, fault)
        notePause(exchange, reply.response)
        if world.question(in: exchange) != nil, reply.response.status == .conflict {
            life.otherQuestions += 1
        }
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
    private func judgePatience(_ exchange: SimulatedRun.Exchange) {
        guard let challenge = world.challenge(answeredBy: exchange),
            let pause = world.pauses[challenge],
            world.elapsed < pause.end, pause.life == life.number,
            world.settings.storeFaults == 0, world.tally[.clockSet] == 0
        else { return }
        world.violate(
            .patience, "\(challenge) was sent \(pause.end - world.elapsed) ms too early")
    }

    /// Whether hints make the device ask as often as they come: one question is under way, one
    /// waits, and they begin at least three seconds apart.
    private func judgeFlood(_ exchange: SimulatedRun.Exchange) {
        guard let question = world.question(in: exchange) else { return }
        let times = life.questions[question, default: []] + [world.elapsed]
        life.questions[question] = times
        for (index, start) in times.enumerated() {
            let most = world.askers * (2 + (world.elapsed - start) / 3000) + life.otherQuestions
            guard times.count - index > most else { continue }
            world.violate(
                .bounded, "\(times.count - index) questions in \(world.elapsed - start) ms")
            life.questions[question] = []
            return
        }
    }

    private func notePause(_ exchange: SimulatedRun.Exchange, _ response: HTTPResponse) {
        // What Acme doesn't document is anybody's: a success ends it, and the user goes past it.
        guard response.status == .tooManyRequests, response.headerFields[.retryAfter] != nil,
            let challenge = world.challenge(answeredBy: exchange)
        else { return }
        // A date is exact to the second.
        world.pauses[challenge] = (world.elapsed + world.lastPause - 1000, life.number)
    }

    private func drawFault(_ exchange: SimulatedRun.Exchange) -> Fault? {
        guard !world.isHealed else { return nil }
        if world.isOffline { return .unreachable }
        guard world.draw.percent(world.settings.networkFaults) else { return nil }
        var fault = world.draw.pick(Fault.allCases)
        // An answer that comes after others is what decisions are mixed up by.
        if world.challenge(answeredBy: exchange) != nil, world.draw.percent(25) { fault = .late }
        if let event = Tally.Event(rawValue: fault.rawValue) { world.tally.count(event) }
        return fault
    }

    private func carry(
        _ exchange: SimulatedRun.Exchange, _ fault: Fault?
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        switch fault {
        case .unreachable: throw PushError(.unreachable, "No server.")
        case .droppedBefore: throw Self.interrupted
        case .late:
            world.delayed(exchange)
            world.after(500 + world.draw.below(world.draw.pick([20_000, 60_000]))) { [world] in
                world.note("late \(exchange.path)")
                Task { _ = await world.respond(to: exchange, .late) }
            }
            throw Self.interrupted
        case .gateway: return gateway(world.draw.pick([500, 502, 503]))
        case .tooMany: return gateway(429)
        case .stranger: return await stranger()
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
        case .strangerAfter: return await stranger()
        case .echo:
            world.after(500 + world.draw.below(20_000)) { [world] in
                world.note("echo \(exchange.path)")
                Task { _ = await world.respond(to: exchange, .echo) }
            }
            if world.draw.percent(50) { throw Self.interrupted }
        case .lyingDate: reply.response.headerFields[.date] = await lie()
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
            response.headerFields[.date] = AcmeWire.httpDate(now + years * 31_557_600)
        }
        if status == 429 || status == 503, world.draw.percent(70) {
            let seconds = 1 + world.draw.below(60)
            world.lastPause = seconds * 1000
            // A date means something beside the server's own alone (RFC 9110, section 6.6.1).
            let isDate = world.draw.percent(50)
            response.headerFields[.retryAfter] =
                isDate ? AcmeWire.httpDate(now + seconds) : "\(seconds)"
            if isDate { response.headerFields[.date] = AcmeWire.httpDate(now) }
        }
        return (response, Data("nothing".utf8))
    }

    /// What somebody before the server says for it, who knows nothing of its protocol.
    private func stranger() async -> (response: HTTPResponse, body: Data) {
        let usual = [400, 401, 403, 404, 405, 407, 408, 409, 410, 418, 422, 423, 429, 451, 500]
        let any = (world.draw.percent(70) ? 400 : 500) + world.draw.below(100)
        let status = world.draw.percent(60) ? world.draw.pick(usual) : any
        var response = HTTPResponse(status: .init(code: status))
        switch world.draw.below(4) {
        case 0: response.headerFields[.date] = await lie()
        case 1: response.headerFields[.date] = AcmeWire.httpDate(world.serverNow / 1000)
        default: break
        }
        guard world.draw.percent(70) else { return (response, Data()) }
        response.headerFields[.contentType] = "text/html"
        return (response, Data("<html><body><h1>\(status)</h1></body></html>".utf8))
    }

    /// A time days ahead of every clock, and of all lies before it: no two of them agree.
    private func lie() async -> String {
        world.lies += 1
        let seconds = world.serverNow / 1000 + world.lies * 3 * 86_400 + world.draw.below(86_400)
        await world.heardLie(seconds, in: life)
        return AcmeWire.httpDate(seconds)
    }

    private static let interrupted = PushError(.interrupted, "The connection broke.")
}
