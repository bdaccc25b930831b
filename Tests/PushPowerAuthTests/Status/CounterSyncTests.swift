import PushCore
import PushTesting
import Testing

@testable import PushPowerAuth

/// The table of `docs/vendors/powerauth.md#the-counter`, row by row.
@Suite struct CounterSyncTests {
    private let server = SealedStatus()
    private let start: SignatureCounter

    init() throws {
        start = try SignatureCounter(data: SeededRandom(seed: 4).bytes(16))
    }

    /// The verdict when the device made some steps and the server others.
    ///
    /// `shift` is added to the server's number, to make it disagree with its value.
    private func verdict(
        local: Int, server steps: Int, shift: Int = 0, lookAhead: UInt8 = 20
    ) throws -> CounterSync {
        let theirs = start.advanced(by: steps)
        let blob = try server.telling(
            of: theirs, byte: UInt8(truncatingIfNeeded: Int(theirs.byte) + shift),
            lookAhead: lookAhead)
        return try CounterSync(
            local: start.advanced(by: local), blob: blob, transportKey: server.transportKey)
    }

    @Test(arguments: [0, 1, 200, 255, 256, 300])
    func `equal counters are in sync`(steps: Int) throws {
        #expect(try verdict(local: steps, server: steps) == .inSync)
    }

    @Test(arguments: [1, 2, 9, 10])
    func `up to half of what the server looks ahead, nothing need be done`(ahead: Int) throws {
        #expect(try verdict(local: ahead, server: 0) == .localAhead(ahead))
        // Past the turn of the number from 255 to 0.
        #expect(try verdict(local: 250 + ahead, server: 250) == .localAhead(ahead))
    }

    @Test(arguments: [11, 15, 19, 20])
    func `beyond half of it the server has to catch up`(ahead: Int) throws {
        #expect(try verdict(local: ahead, server: 0) == .needsCatchUp)
        #expect(try verdict(local: 245 + ahead, server: 245) == .needsCatchUp)
    }

    @Test(arguments: [21, 22, 64, 127])
    func `a device further ahead than the server looks is lost`(ahead: Int) throws {
        #expect(try verdict(local: ahead, server: 0) == .deadlock)
    }

    @Test(arguments: [1, 2, 10, 19])
    func `a server that is ahead is followed`(ahead: Int) throws {
        #expect(try verdict(local: 0, server: ahead) == .serverAhead(ahead))
        #expect(try verdict(local: 250, server: 250 + ahead) == .serverAhead(ahead))
    }

    @Test(arguments: [20, 21, 127, 128])
    func `a server further ahead than it looks is lost`(ahead: Int) throws {
        #expect(try verdict(local: 0, server: ahead) == .deadlock)
    }

    @Test func `following makes equal`() throws {
        let theirs = start.advanced(by: 13)
        let blob = try server.telling(of: theirs, byte: theirs.byte)
        let verdict = try CounterSync(
            local: start, blob: blob, transportKey: server.transportKey)
        guard case .serverAhead(let steps) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        #expect(start.advanced(by: steps) == theirs)
    }

    @Test func `equal numbers of different values are lost`() throws {
        let stranger = try SignatureCounter(data: SeededRandom(seed: 5).bytes(16))
        let blob = try server.telling(of: stranger, byte: start.byte)
        #expect(
            try CounterSync(local: start, blob: blob, transportKey: server.transportKey)
                == .deadlock)
        #expect(try verdict(local: 0, server: 3, shift: -3) == .deadlock)
    }

    @Test func `numbers and values that contradict each other are lost`() throws {
        // Equal values, different numbers.
        #expect(try verdict(local: 0, server: 0, shift: 1) == .deadlock)
        #expect(try verdict(local: 0, server: 0, shift: -1) == .deadlock)
        // The server is ahead by its value, but by another number, or behind by its number.
        #expect(try verdict(local: 0, server: 3, shift: 1) == .deadlock)
        #expect(try verdict(local: 0, server: 3, shift: -1) == .deadlock)
        #expect(try verdict(local: 0, server: 3, shift: -5) == .deadlock)
        // The server is behind by its value, but ahead by its number.
        #expect(try verdict(local: 5, server: 0, shift: 8) == .deadlock)
    }

    @Test func `a window of any size has its halves`() throws {
        #expect(try verdict(local: 1, server: 0, lookAhead: 1) == .needsCatchUp)
        #expect(try verdict(local: 2, server: 0, lookAhead: 1) == .deadlock)
        #expect(try verdict(local: 0, server: 0, lookAhead: 1) == .inSync)
        #expect(try verdict(local: 0, server: 1, lookAhead: 1) == .deadlock)
        #expect(try verdict(local: 16, server: 0, lookAhead: 33) == .localAhead(16))
        #expect(try verdict(local: 17, server: 0, lookAhead: 33) == .needsCatchUp)
        #expect(try verdict(local: 64, server: 0, lookAhead: 64) == .needsCatchUp)
        #expect(try verdict(local: 65, server: 0, lookAhead: 64) == .deadlock)
        #expect(try verdict(local: 0, server: 63, lookAhead: 64) == .serverAhead(63))
        #expect(try verdict(local: 0, server: 64, lookAhead: 64) == .deadlock)
    }
}
