import Foundation
import PushCore
import PushPlatform
import PushSealing

/// How the cost of a login grows: with the enrollments of its store, with the challenges that wait beside
/// it, and with the logins that are made at the same time.
///
/// The sides that are compared take turns, so that what else the machine does, it does to all.
struct GrowthReport {
    private static let usage = "growth [COUNT …] [filestore] [etcd] [postgresql]"
    private static let turns = 80
    private static let warmUp = 20

    private let counts: [Int]
    private let engines: [String]

    /// - Parameter arguments: How many enrollments, 1,000 and 100,000 if no number is given, always
    ///   beside 10; which stores, all if none is named.
    /// - Throws: A refusal of the arguments.
    init(_ arguments: [String]) throws {
        let given = arguments.compactMap { Int($0) }
        counts = given.isEmpty ? [1_000, 100_000] : given
        engines = arguments.filter { Int($0) == nil }.map { $0.lowercased() }
        let all = ["filestore", "etcd", "postgresql"]
        guard engines.allSatisfy(all.contains) else {
            throw PushError(.invalidArgument, "Expected \(Self.usage), not \(engines).")
        }
    }

    func run() async throws {
        print("| A login | time, beside the first | processor, beside the first |")
        print("|---|---:|---:|")
        if isAsked("filestore") { try await report { try StoreFolder() } }
        if isAsked("etcd") { try await report { try await EtcdProcess() } }
        if isAsked("postgresql") { try await report { try await PostgresProcess() } }
    }

    private func isAsked(_ name: String) -> Bool { engines.isEmpty || engines.contains(name) }

    private func report<Server: StoreServer>(_ start: () async throws -> Server?) async throws {
        guard let few = try await start() else {
            return print("\(Server.name): not measured, as it isn't installed")
        }
        var sides = [GrowthSide("\(Server.name): among 10", [try await phone(few, among: 10)])]
        // Each has a server of its own: what others keep there isn't its own burden.
        var servers: [any StoreServer] = [few]
        for count in counts {
            guard let server = try await start() else { return }
            servers.append(server)
            sides.append(GrowthSide("among \(count)", [try await phone(server, among: count)]))
        }
        sides.append(GrowthSide("beside 63 that wait", [try await phone(few, among: 10, open: 63)]))
        var eight: [Approver] = []
        for _ in 0..<8 { eight.append(try await phone(few, among: 10)) }
        sides.append(GrowthSide("8 at once, each", eight))
        for turn in 0..<Self.turns {
            for number in sides.indices {
                try await sides[number].logIn(isCounted: turn >= Self.warmUp)
            }
        }
        for side in sides { print(side.row(beside: sides[0])) }
        fflush(nil)
        withExtendedLifetime(servers) {}
    }

    /// A device among others of its store.
    private func phone(
        _ engine: some StoreServer, among count: Int, open: Int = 0
    ) async throws -> Approver {
        let key = Secret([UInt8](repeating: 7, count: 32))
        let tenant = "t\(UInt32.random(in: 0 ... .max))"
        let store = try await SealedStore(
            try await engine.newStore(tenant),
            key: KeySource { () async throws(PushError) in key }, tenant: tenant)
        let phone = try await Approver([store], remembering: StoreReport.retention)
        try await phone.leaveOpen(open)
        try await fill(store, count)
        return phone
    }

    /// Copies the store's only enrollment, under other names.
    private func fill(_ store: any CredentialStore, _ count: Int) async throws {
        guard let name = try await store.names(in: "enrollment").first,
            let id = name.split(separator: "\"").dropLast().last,
            let record = try await store.read(RecordKey("enrollment", name))
        else { throw PushError(.notFound, "There is no enrollment.") }
        let document = record.value.withBytes { String(decoding: $0, as: UTF8.self) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1..<count {
                if number > 32 { try await group.next() }
                group.addTask {
                    let other = "\(UUID())"
                    let copy = document.replacingOccurrences(of: id, with: other)
                    try await store.write(
                        Secret(Array(copy.utf8)),
                        for: RecordKey(
                            "enrollment", name.replacingOccurrences(of: id, with: other)),
                        replacing: nil)
                }
            }
            try await group.waitForAll()
        }
    }
}
