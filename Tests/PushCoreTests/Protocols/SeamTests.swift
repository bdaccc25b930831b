import Foundation
import PushTesting
import Testing

@testable import FictionalVendor
@testable import PushCore

struct SeamTests {
    @Test func `a UUID is of version 4, in upper case, and never repeats`() {
        let source = SystemRandom()
        let all = (0..<100).map { _ in source.uuid() }
        #expect(Set(all).count == 100)
        for text in all {
            #expect(
                text.wholeMatch(
                    of: /[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}/)
                    != nil)
        }
        #expect(UUID(uuidString: SeededRandom(seed: 3).uuid()) != nil)
    }

    @Test func `random bytes come in the number asked for, and differ`() {
        let one = SystemRandom().bytes(32)
        #expect(one.count == 32)
        #expect(!one.isEqualInConstantTime(to: SystemRandom().bytes(32)))
        #expect(SystemRandom().bytes(0).count == 0)
    }

    @Test(arguments: Array(1...17) + [255, 256, 257, 512, 700])
    func `every random byte is drawn, and none beyond`(count: Int) {
        var drawn = [UInt8](repeating: 0, count: count + 1)
        for _ in 0..<16 {
            var bytes = [UInt8](repeating: 0, count: count + 1)
            bytes.withUnsafeMutableBytes { buffer in
                SystemRandom().fill(UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
            }
            for index in bytes.indices { drawn[index] |= bytes[index] }
        }
        #expect(drawn.dropLast().allSatisfy { $0 != 0 })
        #expect(drawn.last == 0)
    }

    @Test(arguments: [0, 1, 16, 18, 256, 257, 700])
    func `every byte of a nonce is drawn, and none beyond`(count: Int) {
        var drawn = [UInt8](repeating: 0, count: count + 1)
        for _ in 0..<16 {
            var bytes = [UInt8](repeating: 0, count: count + 1)
            bytes.withUnsafeMutableBytes { buffer in
                SystemRandom().fill(
                    nonce: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
            }
            for index in bytes.indices { drawn[index] |= bytes[index] }
        }
        #expect(drawn.dropLast().allSatisfy { $0 != 0 })
        #expect(drawn.last == 0)
    }

    @Test func `a source that knows no nonces draws them as all others`() {
        var (nonce, other) = (UInt64(0), UInt64(0))
        let (one, same): (any RandomSource, SeededRandom) = (
            SeededRandom(seed: 9), SeededRandom(seed: 9)
        )
        withUnsafeMutableBytes(of: &nonce) { one.fill(nonce: $0) }
        withUnsafeMutableBytes(of: &other) { same.fill($0) }
        #expect(nonce == other && nonce != 0)
    }

    @Test func `the system's clock goes on`() {
        let clock = SystemClock()
        let before = clock.elapsed
        #expect(clock.elapsed >= before)
        #expect(clock.now > Date(timeIntervalSince1970: 1_700_000_000))
    }

    @Test func `two clocks of a device count from the same moment`() async {
        let first = SystemClock()
        await first.sleep(for: .milliseconds(5))
        let (before, after) = (first.elapsed, SystemClock().elapsed)
        #expect(after >= before)
    }

    @Test func `what a provider doesn't have is absent by default`() async throws {
        struct Bare: PushProvider, Resolver {
            let id: ProviderID = "bare"
            let enroller: any Enroller
            var resolver: any Resolver { self }
            func candidate(in message: PushMessage) -> PushMessage.Candidate? { nil }
            func challenge(
                for announcement: inout Announcement, of account: Account
            ) async throws(PushError) -> Challenge {
                throw PushError(.unsupported, "Nothing.")
            }
            func prepare(
                _ decision: Decision, of account: Account
            ) async throws(PushError) -> Signing {
                throw PushError(.unsupported, "Nothing.")
            }
            func send(
                _ answer: Answer, for announcement: inout Announcement, of account: Account,
                again: Bool
            ) async throws(PushError) -> Outcome { .delivered }
        }
        let acme = AuthenticatorHarness().acme()
        let bare = Bare(enroller: acme)
        #expect(bare.capabilities == [])
        #expect(
            bare.pushServices == [] && bare.codes == nil
                && bare.history == nil && bare.inbox == nil)
        let notice = Notice(id: .ada("1"), proof: .mac)
        var announcement = Announcement(notice)
        let account = try await acme.accounts.create(
            Enrollment(id: .ada, state: .active, created: morning), secret("s"))
        #expect(
            try await bare.status(for: &announcement, of: account, kept: nil) == .unknown)
        #expect(try await bare.pending(of: account, after: nil).announcements.isEmpty)
    }

    @Test func `an error of a task keeps its type`() async {
        let failed = await Result { () async throws(PushError) -> Int in
            throw PushError(.over, "Over.")
        }
        #expect(code { try failed.get() } == .over)
        let fine = await Result { () async throws(PushError) -> Int in 1 }
        #expect((try? fine.get()) == 1)
    }
}
