import Foundation
import PushCore
import PushSimulation
import PushTesting
import Testing

/// Texts of strangers that are one `Character` of a million marks: to compare, to split or to hash such a
/// one takes the square of its length. Where bytes are looked at these tests take seconds, and else hours.
@Suite(.timeLimit(.minutes(10))) struct HostileTextTests {
    private static let vendors = Vendor.allCases.filter { $0 != .acme }

    /// Marks that Unicode orders otherwise, or flags of which every two are one `Character`.
    private static let runs = ["\u{327}\u{301}", "\u{1F1E6}"]

    private static func marks(_ run: String, _ bytes: Int) -> String {
        String(repeating: run, count: bytes / run.utf8.count)
    }

    /// A text with marks in its place, before and behind it, and behind what parts it.
    private static func spoiled(_ text: String, by marks: String) -> [String] {
        let places = text.utf8.indices.filter { index in
            ["/", "?", "&", "=", ":", "#", ".", "-", "%"].contains {
                $0.utf8.first == text.utf8[index]
            }
        }
        return [marks, marks + text, text + marks, text + "#" + marks, text + "&" + marks + "=1"]
            + places.prefix(6).map { index in
                let next = text.utf8.index(after: index)
                return text[..<next] + marks + text[next...]
            }
    }

    private struct Phone {
        let fixtures: VendorFixtures
        let authenticator: PushAuthenticator

        /// What becomes of each reply is said by what spoils it.
        init(_ vendor: Vendor, spoils: @escaping @Sendable (Data) async -> Data = { $0 }) throws {
            let fixtures = try vendor.fixtures(seed: 1)
            let environment = PushEnvironment(
                transport: SimulatedTransport { request, body in
                    let (response, body) = await fixtures.simulator.respond(to: request, body: body)
                    return (response, await spoils(body))
                }, store: InMemoryStore(), verifier: ScriptedVerifier.willing(),
                clock: fixtures.clock, random: SeededRandom(seed: 1),
                device: Device(name: "phone", platform: .other))
            self.fixtures = fixtures
            var configuration = PushConfiguration()
            configuration.hintInterval = .zero
            authenticator = PushAuthenticator(
                try PluginRegistry([try fixtures.provider(environment)]), in: environment,
                configuration: configuration)
        }

        func enroll() async throws -> Enrollment {
            try await authenticator.deviceTokenChanged(.fcm("token"))
            let offer = try authenticator.offers(
                for: try await fixtures.simulator.invitation(for: "ada"))
            return try await authenticator.enroll(try #require(offer.first))
        }

        func push() async throws -> Data {
            _ = await fixtures.simulator.takePushes()
            _ = try await fixtures.simulator.startLogin(of: "ada", asking: .confirm)
            return try #require(await fixtures.simulator.takePushes().last).payload
        }
    }

    @Test(arguments: vendors)
    func `what is scanned or opened is read in time that grows with its length`(
        vendor: Vendor
    ) async throws {
        let phone = try Phone(vendor)
        let invitation: String
        switch try await phone.fixtures.simulator.invitation(for: "ada") {
        case .scanned(let secret), .typed(let secret): invitation = secret.copiedText()
        default: invitation = "otpauth://push/a:b?c=d"
        }
        for run in Self.runs {
            // Within the longest that is read at all, and far beyond it.
            for (size, times) in [(3000, 200), (15_000, 50), (2_000_000, 1)] {
                let marks = Self.marks(run, size)
                for text in Self.spoiled(invitation, by: marks)
                    + Self.spoiled("https://a.b/", by: marks)
                {
                    for _ in 0..<times {
                        _ = try? phone.authenticator.offers(for: .scanned(text: text))
                        _ = try? phone.authenticator.offers(for: .typed(text: text))
                    }
                }
            }
        }
    }

    @Test(arguments: vendors)
    func `what a push says is read in time that grows with its length`(vendor: Vendor) async throws
    {
        let phone = try Phone(vendor)
        _ = try await phone.enroll()
        let push = try await phone.push()
        for run in Self.runs {
            for data in try Self.spoiledTexts(of: push, by: Self.marks(run, 500_000)) {
                guard let message = try? PushMessage(json: data) else { continue }
                _ = try? await phone.authenticator.receive(message)
            }
        }
    }

    /// A JSON text with one member after the other spoiled.
    private static func spoiledTexts(of data: Data, by marks: String) throws -> [Data] {
        let members = try #require(try JSON(parsing: data).object)
        return members.members.flatMap { name, value -> [Data] in
            guard let text = value.string else { return [] }
            return spoiled(text, by: marks).map { spoiled in
                var changed = members
                changed[name] = .string(spoiled)
                return JSON.object(changed).data
            }
        } + [JSON.object(["aps": .object([marks: .string(marks)]), marks: .string(marks)]).data]
    }

    @Test(arguments: vendors)
    func `what a server says is read in time that grows with its length`(vendor: Vendor)
        async throws
    {
        for run in Self.runs {
            let marks = Self.marks(run, 250_000)
            let spoiling = Locked<Int?>(nil)
            let phone = try Phone(vendor) { body in
                let number = spoiling.withLock { number -> Int? in
                    defer { number = number.map { $0 + 1 } }
                    return number
                }
                guard let number else { return body }
                let text = String(decoding: body, as: UTF8.self)
                let texts = (try? Self.spoiledTexts(of: body, by: marks)) ?? []
                return texts.isEmpty ? Data((text + marks).utf8) : texts[number % texts.count]
            }
            let enrollment = try await phone.enroll()
            let push = try PushMessage(json: try await phone.push())
            let id = try await phone.authenticator.receive(push).compactMap(\.challenge).first
            spoiling.withLock { $0 = 0 }
            for _ in 0..<8 {
                _ = try? await phone.authenticator.refresh(enrollment.id)
                _ = try? await phone.authenticator.pending(for: enrollment.id)
                if let id, let challenge = try? await phone.authenticator.challenge(id) {
                    _ = try? await phone.authenticator.resolve(challenge, with: .deny(.unexpected))
                }
                _ = try? await phone.authenticator.resume()
                let offers = try? phone.authenticator.offers(
                    for: try await phone.fixtures.simulator.invitation(for: "bob"))
                if let offer = offers?.first { _ = try? await phone.authenticator.enroll(offer) }
            }
        }
    }
}
