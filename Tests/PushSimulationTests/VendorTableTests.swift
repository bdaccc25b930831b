import Foundation
import PushCore
import PushSimulation
import PushTesting
import Testing

/// `docs/vendors/README.md` says what each plugin says of itself.
struct VendorTableTests {
    /// What a row says of each vendor, by the name in code that its first cell ends with.
    private let rows: [String: [String]]
    private let headings: [String]

    init() throws {
        let page = URL(filePath: #filePath)
            .appending(path: "../../../docs/vendors/README.md").standardizedFileURL
        let lines = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n")
        let start = try #require(lines.firstIndex(of: "<!-- vendors -->"))
        let table = lines[(start + 1)...].prefix { $0.hasPrefix("|") }.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        headings = Array(try #require(table.first).dropFirst())
        rows = Dictionary(
            uniqueKeysWithValues: table.dropFirst(2).compactMap { cells in
                let name = cells[0].firstMatch(of: /\(`([\w.]+)`\)$/)
                return name.map { (String($0.1), Array(cells.dropFirst())) }
            })
    }

    private static func site(_ vendor: Vendor) throws -> (
        VendorFixtures, any PushProvider, PushEnvironment
    ) {
        let fixtures = try vendor.fixtures(seed: 1)
        let environment = PushEnvironment(
            transport: SimulatedTransport(to: fixtures.simulator), store: InMemoryStore(),
            verifier: ScriptedVerifier.willing(pin: fixtures.pin), clock: fixtures.clock,
            device: Device(name: "A phone"))
        return (fixtures, try fixtures.provider(environment), environment)
    }

    private func cell(_ name: String, of vendor: Vendor) throws -> String {
        let column = headings.firstIndex { $0.lowercased() == vendor.description.lowercased() }
        return try #require(rows[name], "The table has no row of \(name).")[try #require(column)]
    }

    /// The words that a cell has in backquotes.
    private static func words(_ cell: String) -> [String] {
        cell.matches(of: /`(\w+)`/).map { String($0.1) }
    }

    /// What a cell says that needs an open guard; nothing where that is for biometry.
    private static func uses(_ cell: String) -> Capabilities.GuardedPart.Uses {
        let names: [String: Capabilities.GuardedPart.Uses] = [
            "approval": .approval, "denial": .denial, "delivery": .delivery, "opening": .opening,
            "questions": .questions, "codes": .codes,
        ]
        let named = Capabilities.GuardedPart.Uses(words(cell).compactMap { names[$0] })
        return cell.hasPrefix("all but ")
            ? Capabilities.GuardedPart.Uses(names.values).subtracting(named) : named
    }

    private static func word(_ prompt: Challenge.Prompt) -> String {
        String("\(prompt)".prefix { $0.isLetter })
    }

    @Test func `each plugin has a column`() {
        let names = Vendor.plugins.map { $0.description.lowercased() }
        #expect(headings.map { $0.lowercased() }.sorted() == names.sorted())
    }

    @Test(arguments: Vendor.plugins)
    func `the table says what the code says`(_ vendor: Vendor) throws {
        let capabilities: [(String, Capabilities)] = [
            ("denyReasons", .denyReasons), ("pendingList", .pendingList),
            ("tokenUpdate", .tokenUpdate), ("tokenRemoval", .tokenRemoval),
            ("serverRemoval", .serverRemoval), ("lateAnswers", .lateAnswers),
            ("singleUseContext", .singleUseContext),
        ]
        let known = capabilities.reduce(into: Capabilities()) { $0.formUnion($1.1) }
        let (_, provider, _) = try Self.site(vendor)
        func check(_ name: String, _ isThere: Bool) throws {
            #expect(try cell(name, of: vendor) == (isThere ? "yes" : "no"), "\(name)")
        }
        for (name, capability) in capabilities {
            try check(name, provider.capabilities.contains(capability))
        }
        // One that has no row is told to nobody.
        #expect(provider.capabilities.subtracting(known).isEmpty)
        try check("codes", provider.codes != nil)
        try check("history", provider.history != nil)
        try check("inbox", provider.inbox != nil)
        #expect(Self.uses(try cell("guarded", of: vendor)) == provider.guarded?.uses ?? [])
        let services = Self.words(try cell("pushServices", of: vendor))
        #expect(services == provider.pushServices.map { "\($0)" })
    }

    @Test(arguments: Vendor.plugins)
    func `the table says what a push proves and what the user is asked`(
        _ vendor: Vendor
    ) async throws {
        var proofs: Set<String> = []
        var prompts: Set<String> = []
        for kind in SimulatedLogin.Kind.allCases {
            let (fixtures, provider, environment) = try Self.site(vendor)
            let phone = PushAuthenticator(try PluginRegistry([provider]), in: environment)
            try await phone.deviceTokenChanged(fixtures.deviceToken)
            let invitation = try await fixtures.simulator.invitation(for: fixtures.users.one)
            let offer = try #require(try phone.offers(for: invitation).first)
            let enrollment = try await phone.enroll(offer)
            if enrollment.state != .active { _ = try await phone.refresh(enrollment.id) }
            try await phone.resume()
            do throws(PushError) {
                _ = try await fixtures.simulator.startLogin(of: fixtures.users.one, asking: kind)
            } catch {
                #expect(error.code == .unsupported || error.code == .invalidArgument)
                continue
            }
            for push in await fixtures.simulator.takePushes() {
                for reception in try await phone.receive(try push.message()) {
                    guard case .notice(let notice, _) = reception.kind else { continue }
                    proofs.insert(notice.proof.rawValue)
                    let prompt = try await phone.challenge(notice.id).prompt
                    prompts.insert(Self.word(prompt))
                }
            }
        }
        #expect(proofs == Set(Self.words(try cell("Notice.Proof", of: vendor))))
        let told = Self.words(try cell("prompts", of: vendor))
        let provider = try Self.site(vendor).1
        #expect(told == provider.prompts.map(Self.word))
        // A number challenge without numbers, which AM's own logins never are. A realm asks for one kind.
        let rare: [Vendor: Set<String>] = [
            .forgeRock: ["enter"], .keycloak: ["choose", "enter"],
        ]
        // What this phone lacks a factor for can only be denied.
        #expect(prompts.union(rare[vendor] ?? []).subtracting(["denyOnly"]) == Set(told))
    }
}
