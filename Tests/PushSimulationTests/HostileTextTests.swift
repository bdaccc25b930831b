import Foundation
import HTTPTypes
import PushCore
import PushSimulation
import PushTesting
import Testing

/// Texts of strangers that are one `Character` of a million marks: to compare, to split or to hash such a
/// one takes the square of its length. Where bytes are looked at these tests take seconds, and else hours.
@Suite(.timeLimit(.minutes(10))) struct HostileTextTests {

    /// Marks that Unicode orders otherwise, as many in a row as JSON may hold and more, and flags of which
    /// every two are one `Character`.
    private static let runs = [
        "\u{327}\u{301}", String(repeating: "\u{327}\u{301}", count: 128) + "a", "\u{1F1E6}",
    ]

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

    @Test(arguments: Vendor.plugins)
    func `what is scanned or opened is read in time that grows with its length`(
        vendor: Vendor
    ) async throws {
        let phone = try Phone(vendor)
        let invitation: String
        switch try await phone.fixtures.simulator.invitation(for: "ada") {
        case .scanned(let secret), .typed(let secret): invitation = secret.copiedText()
        case .credentials: invitation = "otpauth://push/a:b?c=d"
        }
        for run in Self.runs {
            // Within the longest that is read at all, and far beyond it.
            for (size, times) in [(3000, 20), (15_000, 5), (500_000, 1)] {
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

    @Test(arguments: Vendor.plugins)
    func `what a push says is read in time that grows with its length`(
        vendor: Vendor
    ) async throws {
        let phone = try Phone(vendor)
        _ = try await phone.enroll()
        let push = try await phone.push()
        for run in Self.runs {
            // Within what a push may be, and far beyond it.
            for size in [2500, 50_000] {
                let marks = Self.marks(run, size)
                let object = try #require(JSON(parsing: push).object)
                for data in Self.spoiled(object).map({ Self.text(of: $0, with: marks) }) {
                    guard let message = try? PushMessage(json: data) else { continue }
                    _ = try? await phone.authenticator.receive(message)
                }
            }
        }
    }

    @Test(arguments: Vendor.plugins)
    func `what a server says is read in time that grows with its length`(
        vendor: Vendor
    ) async throws {
        for run in Self.runs {
            let replies = Spoiler(marks: Self.marks(run, 30_000))
            let phone = try Phone(vendor) { response, body in replies.spoil(response, body) }
            let enrollment = try await phone.enroll()
            let push = try PushMessage(json: try await phone.push())
            let id = try await phone.authenticator.receive(push).compactMap(\.challenge).first
            let invitation = try await phone.fixtures.simulator
                .invitation(for: phone.fixtures.users.other)
            // What waits for a later list, or for the end of a pause, has it.
            let clock = phone.fixtures.clock
            let ticking = Task {
                while !Task.isCancelled {
                    clock.advance(by: .seconds(1))
                    try? await Task.sleep(for: .milliseconds(5))
                }
            }
            defer { ticking.cancel() }
            replies.begin()
            for _ in 0..<6 {
                _ = try? await phone.authenticator.refresh(enrollment.id)
                _ = try? await phone.authenticator.pending(for: enrollment.id)
                if let id, let challenge = try? await phone.authenticator.challenge(id) {
                    _ = try? await phone.authenticator.resolve(challenge, with: .deny(.unexpected))
                }
                _ = try? await phone.authenticator.resume()
                if let offer = try? phone.authenticator.offers(for: invitation).first {
                    _ = try? await phone.authenticator.enroll(offer)
                }
            }
            #expect(replies.spoiled > 0)
        }
    }

    /// Stands for the marks while a text is made: they are put in as bytes, as JSON and dictionaries hash.
    private static let place = "MARKS"

    /// An object with one member after the other spoiled, and with more members.
    fileprivate static func spoiled(_ object: JSON.Object) -> [JSON.Object] {
        let texts = object.members.flatMap { name, value -> [JSON.Object] in
            guard let text = value.string else { return [] }
            return spoiled(text, by: place).map { spoiled in
                var changed = object
                changed[name] = .string(spoiled)
                return changed
            }
        }
        var more = object
        more["aps"] = .object([place: .string(place)])
        more[place] = .array([.string(place)])
        return texts + [more]
    }

    fileprivate static func text(of object: JSON.Object, with marks: String) -> Data {
        Data(JSON.object(object).text.replacing(place, with: marks).utf8)
    }
}

/// A device that is told what a vendor says only when it was spoiled.
private struct Phone {
    let fixtures: VendorFixtures
    let authenticator: PushAuthenticator

    init(
        _ vendor: Vendor,
        spoils: @escaping @Sendable (HTTPResponse, Data) -> (HTTPResponse, Data) = { ($0, $1) }
    ) throws {
        let fixtures = try vendor.fixtures(seed: 1)
        let environment = PushEnvironment(
            transport: SimulatedTransport { request, body in
                let (response, body) = await fixtures.simulator.respond(to: request, body: body)
                return spoils(response, body)
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
        try await authenticator.deviceTokenChanged(fixtures.deviceToken)
        let offers = try authenticator.offers(
            for: try await fixtures.simulator.invitation(for: fixtures.users.one))
        let enrollment = try await authenticator.enroll(try #require(offers.first))
        if enrollment.state != .active { _ = try await authenticator.refresh(enrollment.id) }
        try await authenticator.resume()
        return enrollment
    }

    func push() async throws -> Data {
        _ = await fixtures.simulator.takePushes()
        _ = try await fixtures.simulator.startLogin(of: fixtures.users.one, asking: .confirm)
        return try #require(await fixtures.simulator.takePushes().last).payload
    }
}

/// Spoils one reply after the other, each in another place.
private final class Spoiler: Sendable {
    private let marks: String
    private let count = Locked<Int?>(nil)

    init(marks: String) { self.marks = marks }

    var spoiled: Int { count.withLock { $0 ?? 0 } }

    func begin() { count.withLock { $0 = 0 } }

    func spoil(_ response: HTTPResponse, _ body: Data) -> (HTTPResponse, Data) {
        let number = count.withLock { count -> Int? in
            defer { count = count.map { $0 + 1 } }
            return count
        }
        guard let number else { return (response, body) }
        var response = response
        for name in [HTTPField.Name.retryAfter, .date, .contentType, .setCookie, .location]
        where number % 3 == 0 {
            response.headerFields[name] = (response.headerFields[name] ?? "") + marks
        }
        guard number % 3 != 1, let object = (try? JSON(parsing: body))?.object else {
            return (response, body + Data(marks.utf8))
        }
        let objects = HostileTextTests.spoiled(object)
        return (response, HostileTextTests.text(of: objects[number % objects.count], with: marks))
    }
}
