import PushCore
import PushPlusAuth
import PushTesting
import Testing

/// Every leaf but the required may be missing, null, empty or of another type:
/// `docs/vendors/plusauth.md#what-the-user-sees-and-what-is-left-out`.
@Suite struct NullFuzzTests {
    private typealias Path = [String]

    /// Every member of `info` and `settings`, inner and outer.
    private static func paths() throws -> [Path] {
        func below(_ value: JSON, _ path: Path) -> [Path] {
            guard let object = value.object else { return [path] }
            return (path.isEmpty ? [] : [path])
                + object.members.flatMap { below($0.value, path + [$0.name]) }
        }
        let payload = try Vectors().parsed("payload_rs256_code")
        return ["info", "settings"].flatMap { below(payload[$0] ?? .null, [$0]) }
            + [["resolve_url"]]
    }

    private static func setting(_ value: JSON?, at path: ArraySlice<String>, in root: JSON) -> JSON
    {
        guard let name = path.first, var object = root.object else { return root }
        if path.count == 1 {
            object[name] = value
        } else if let child = object[name] {
            object[name] = setting(value, at: path.dropFirst(), in: child)
        }
        return .object(object)
    }

    private static let wrong: [JSON?] = [
        nil, .null, "", 7, -1, true, [], [.null], [:], ["x": .null], "x",
    ]

    /// Only `resolve_url` must be a pinned URL if it is there.
    private static func values(for path: Path) -> [JSON?] {
        path == ["resolve_url"] ? [nil, .null] : wrong
    }

    @Test func `one leaf at a time may be anything`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let context = try await ContextJWT.full(harness.key())
        var count = 0
        for path in try Self.paths() {
            for value in Self.values(for: path) {
                count += 1
                let claims = Self.setting(value, at: path[...], in: .object(context.claims))
                var changed = context
                changed.claims = try #require(claims.object)
                let challenge = try await harness.challenge(
                    changed.with("context_token", .string("one-\(count)")))
                expectPrompt(of: challenge, for: changed.claims, "\(path)")
                let details = try #require(challenge.details(as: PushContext.self))
                try expectRest(of: details, without: path)
            }
        }
        #expect(count > 300)
    }

    /// What wasn't touched is still read.
    private func expectRest(of context: PushContext, without path: Path) throws {
        guard path.first == "info" else {
            #expect(context.leaves == PushContext.exampleLeaves)
            return
        }
        let prefix = path.dropFirst().joined(separator: ".")
        let rest = PushContext.exampleLeaves.filter { name, _ in
            !prefix.isEmpty && name != prefix && !name.hasPrefix(prefix + ".")
        }
        for (name, value) in rest { #expect(context.leaves[name] == value, "\(name)") }
    }

    /// What is accessed, and as whom, needn't be said; but what is said and can't be shown can only be
    /// denied.
    private func expectPrompt(
        of challenge: Challenge, for claims: JSON.Object, _ comment: Comment
    ) {
        let isShown = ["application", "user_identifier"].allSatisfy { name in
            switch claims["info"]?.object?[name] {
            case nil, .null?, .string?: true
            case .array(let elements)?: elements.isEmpty
            case .object(let object)?: object.members.isEmpty
            default: false
            }
        }
        if isShown {
            #expect(challenge.prompt == .choose(["83", "07", "12"]), comment)
        } else if case .denyOnly = challenge.prompt {
            return
        } else {
            Issue.record("It can be approved unseen: \(comment)")
        }
    }

    @Test func `many leaves at a time may be anything`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let context = try await ContextJWT.full(harness.key())
        let paths = try Self.paths()
        let random = SeededRandom(seed: 1_702_243_100)
        func pick(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
        for round in 0..<150 {
            var claims = JSON.object(context.claims)
            for _ in 0...pick(paths.count) {
                let path = paths[pick(paths.count)]
                let values = Self.values(for: path)
                claims = Self.setting(values[pick(values.count)], at: path[...], in: claims)
            }
            var changed = context
            changed.claims = try #require(claims.object)
            let challenge = try await harness.challenge(
                changed.with("context_token", .string("many-\(round)")))
            expectPrompt(of: challenge, for: changed.claims, "round \(round)")
        }
    }

    @Test func `what is wrong is as if it were missing`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let info: JSON = [
            "application": 7, "ip": "", "user_identifier": ["x"], "agent": "Firefox",
            "location": [
                "city": true, "country": .null, "postal_code": 34_000, "time_zone": "Asia/Tokyo",
                "coordinates": ["latitude": "41", "longitude": true, "accuracy_radius": .null],
            ],
        ]
        let context = try await ContextJWT(harness.key()).with("info", info)
        let challenge = try await harness.challenge(context)
        let details = try #require(challenge.details(as: PushContext.self))
        #expect(details.leaves.isEmpty)
        #expect(details.info?.location?.timeZone == "Asia/Tokyo")
        #expect(challenge.origin.place == nil)
    }

    @Test func `a country has two or three letters, and the time zone stands at either level`()
        async throws
    {
        let harness = try await PlusAuthHarness.enrolled()
        for (index, country) in ["TR", "TUR"].enumerated() {
            let info: JSON = [
                "location": ["country": .string(country), "time_zone": "Europe/Istanbul"]
            ]
            let context = try await ContextJWT(harness.key(), token: "c-\(index)").with(
                "info", info)
            let details = try await harness.challenge(context).details(as: PushContext.self)
            #expect(details?.info?.location?.country == country)
            #expect(details?.info?.location?.timeZone == "Europe/Istanbul")
        }
    }

    @Test(arguments: [(91.0, 0.0), (0, 181), (-91, 0), (0, -181)])
    func `a place that isn't on Earth is none`(latitude: Double, longitude: Double) async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let coordinates: JSON = [
            "latitude": .number(try #require(.init(latitude))),
            "longitude": .number(try #require(.init(longitude))),
        ]
        let context = try await ContextJWT(harness.key())
            .with("info", ["location": ["coordinates": coordinates]])
        #expect(try await harness.challenge(context).origin.place == nil)
    }
}
