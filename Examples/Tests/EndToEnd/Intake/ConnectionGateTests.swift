import Foundation
import NIOCore
import PushCore
import Testing

@testable import LocalServer
@testable import PushAuthCommand

/// Which connections are kept where there are too many.
struct ConnectionGateTests {
    /// Connections of a gate, which tell what is done to them.
    private final class Crowd: @unchecked Sendable {
        let gate: ConnectionGate
        private var members: [NSObject] = []
        private var fates: [ObjectIdentifier: String] = [:]

        init(_ limits: ConnectionLimits) {
            gate = ConnectionGate(limits)
        }

        func add() -> ObjectIdentifier {
            let member = NSObject()
            members.append(member)
            let id = ObjectIdentifier(member)
            gate.admit(
                ConnectionGate.Connection(
                    id: id, close: { self.fates[id] = "closed" }, end: { self.fates[id] = "ended" })
            )
            return id
        }

        func fate(_ id: ObjectIdentifier) -> String? { fates[id] }
    }

    @Test func `the one that is there for longest without a credential goes, whatever it sends`() {
        let crowd = Crowd(ConnectionLimits(proved: 2, unproved: 2))
        let sender = crowd.add()
        crowd.gate.prove(sender)
        let noisy = crowd.add()
        let second = crowd.add()
        // What isn't authorized keeps no place.
        crowd.gate.begin(noisy)
        crowd.gate.end(noisy)
        let third = crowd.add()
        #expect(crowd.fate(noisy) == "closed")
        // One that is being answered goes last.
        crowd.gate.begin(second)
        let fourth = crowd.add()
        #expect(crowd.fate(third) == "closed" && crowd.fate(second) == nil)
        #expect(crowd.fate(sender) == nil && crowd.fate(fourth) == nil)
        #expect(crowd.gate.load.unproved == 2 && crowd.gate.load.closedForOthers == 2)
    }

    @Test func `of those with a credential, an idle one makes room, and no busy one`() {
        let crowd = Crowd(ConnectionLimits(proved: 2, unproved: 8))
        let senders = (0..<2).map { _ in crowd.add() }
        for sender in senders {
            crowd.gate.begin(sender)
            crowd.gate.prove(sender)
        }
        let third = crowd.add()
        crowd.gate.prove(third)
        #expect(senders.allSatisfy { crowd.fate($0) == nil })
        // It goes on as it came.
        #expect(crowd.gate.rest(of: .seconds(10), for: third) != nil)
        crowd.gate.end(senders[0])
        crowd.gate.prove(third)
        #expect(crowd.fate(senders[0]) == "ended" && crowd.fate(senders[1]) == nil)
        #expect(crowd.gate.rest(of: .seconds(10), for: third) == nil)
    }

    @Test func `streams without a credential are bounded over all connections`() {
        var limits = ConnectionLimits(proved: 4, unproved: 4)
        limits.unprovedStreams = 3
        limits.streams = 5
        let crowd = Crowd(limits)
        let (first, second, sender) = (crowd.add(), crowd.add(), crowd.add())
        #expect((0..<3).allSatisfy { _ in crowd.gate.takeStream(of: first) })
        #expect(!crowd.gate.takeStream(of: first))
        // The older one, with its streams, makes room.
        #expect(crowd.gate.takeStream(of: second))
        #expect(crowd.fate(first) == "closed")
        crowd.gate.prove(sender)
        #expect((0..<4).allSatisfy { _ in crowd.gate.takeStream(of: sender) })
        #expect(!crowd.gate.takeStream(of: sender))
        crowd.gate.releaseStream(of: second)
        #expect(crowd.gate.takeStream(of: sender))
    }

    @Test(arguments: [(false, 9), (true, 18)])
    func `a balancer hears of nearly as many connections as are kept, of either kind`(
        isProved: Bool, count: Int
    ) async {
        let crowd = Crowd(ConnectionLimits(proved: 20, unproved: 10))
        let listener = ConnectionGate.Listener(crowd.gate)
        let readiness = Readiness({})
        for number in 1...count {
            listener.connectionOpened()
            let id = crowd.add()
            if isProved { crowd.gate.prove(id) }
            let told: JSON? = number < count ? nil : .number(.init(Int64(count)))
            #expect(await readiness.reply(crowd.gate.load).body?["connections"] == told)
        }
    }

    @Test func `the limits follow from the descriptors, and leave some`() {
        let small = ConnectionLimits(descriptors: 1024)
        #expect(small.proved + small.unproved == 768 && small.unproved == 192)
        let large = ConnectionLimits(descriptors: 1_048_576)
        #expect(large.proved + large.unproved == 16_384 && large.unproved == 1024)
        #expect(ConnectionLimits(descriptors: 0).unproved > 0)
        let own = ConnectionLimits.ofThisProcess()
        var limit = rlimit()
        #expect(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
        #expect(limit.rlim_cur == limit.rlim_max && own.proved > own.unproved)
    }
}
