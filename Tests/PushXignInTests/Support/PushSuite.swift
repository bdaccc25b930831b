import PushCore
import PushTesting
import PushXignIn
import Testing

/// A suite about a push: a right one, and what the vendor's door makes of wrong ones.
protocol PushSuite {
    typealias Code = XignPushHandleMessageErrorCodes

    var sent: SentPush { get }
}

/// A push on its way, and the harness in which it was sent.
struct SentPush {
    let harness: XignInHarness
    let push: Push

    init() async throws {
        harness = try await XignInHarness()
        let pid = await harness.manager.begin()
        push = try #require(await harness.manager.outbox.first?.push)
        #expect(push.claims["pid"] == .string(pid))
    }
}

extension PushSuite {
    var harness: XignInHarness { sent.harness }
    var push: Push { sent.push }
    var key: SigningKey { harness.manager.key }

    func code(_ data: [String: String]) async -> Code? {
        await harness.phone.refusal(of: data)?.code
    }

    func code(_ push: Push) async throws -> Code? { try await code(push.data(key)) }

    /// A token of the push's header and claims, after changes to their text.
    func garbled(
        header: (String) -> String = { $0 }, claims: (String) -> String = { $0 }
    ) throws -> [String: String] {
        let texts = (JSON.object(push.header).text, JSON.object(push.claims).text)
        return Push.data(try Token.signed(header(texts.0), claims(texts.1), by: key))
    }
}
