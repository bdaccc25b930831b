import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushPowerAuth

struct TemporaryKeyCacheTests {
    private let cache = TemporaryKeyCache()
    private let clock = ManualClock(Date(timeIntervalSince1970: 1_723_109_505))

    private func key(_ id: String, end: Duration = .seconds(300)) throws -> TemporaryKey {
        TemporaryKey(
            key: EncryptionKey(id: id, publicKey: try Wire.point(Wire.privateKey(21))),
            issued: clock.now, end: end)
    }

    @Test func `a key is used until ten seconds before it ends, by the monotonic clock`()
        async throws
    {
        let scope = try Wire.scope(inActivation: true)
        await cache.keep(try key("a"), for: scope, at: clock.elapsed)
        clock.set(clock.now + 86_400 * 365)
        clock.advance(by: .milliseconds(289_999))
        #expect(await cache.key(for: scope, at: clock.elapsed)?.key.id == "a")
        clock.advance(by: .milliseconds(1))
        #expect(await cache.key(for: scope, at: clock.elapsed) == nil)
    }

    @Test func `each scope has its own key`() async throws {
        let application = try Wire.application()
        let transportKey = Secret([UInt8](repeating: 1, count: 16))
        func activation(_ id: String) -> EncryptionScope {
            .activation(application, activationID: id, transportKey: transportKey)
        }
        let scopes = [
            .application(application), activation("caf\u{E9}"), activation("cafe\u{301}"),
            activation("CAF\u{C9}"), activation(""),
            .application(try Wire.application(key: "WQBeNgCHGlW58rzUlP7Ehg==")),
        ]
        for (index, scope) in scopes.enumerated() {
            #expect(await cache.key(for: scope, at: .zero) == nil)
            await cache.keep(try key("\(index)"), for: scope, at: .zero)
        }
        for (index, scope) in scopes.enumerated() {
            #expect(await cache.key(for: scope, at: .zero)?.key.id == "\(index)")
        }
    }

    @Test func `a newer key takes the place of the older, and a forgotten one is gone`()
        async throws
    {
        let scope = try Wire.scope(inActivation: true)
        let other = try Wire.scope(inActivation: false)
        await cache.keep(try key("a"), for: scope, at: .zero)
        await cache.keep(try key("b"), for: scope, at: .zero)
        await cache.keep(try key("c"), for: other, at: .zero)
        #expect(await cache.key(for: scope, at: .zero)?.key.id == "b")
        await cache.forget(scope)
        #expect(await cache.key(for: scope, at: .zero) == nil)
        #expect(await cache.key(for: other, at: .zero)?.key.id == "c")
    }

    @Test func `a key that lives too short is never handed out`() async throws {
        let scope = try Wire.scope(inActivation: true)
        await cache.keep(try key("a"), for: scope, at: .zero)
        await cache.keep(try key("b", end: .seconds(10)), for: scope, at: .zero)
        #expect(await cache.key(for: scope, at: .zero) == nil)
    }
}
