import Foundation
import PushAuthCommand
import PushCore
import PushSealing
import PushTesting

/// The measurements of a fleet: one store on servers, many devices, and a few listeners.
struct FleetLoad {
    let site: LoadSite
    let program: URL
    let store: String
    let keyFile: String
    let devices: Int

    /// How many compare-and-sets are under way at once, and how large their values are: as an
    /// enrollment's record in a fleet.
    private static let bare = (width: 8, size: 4800)

    /// What is said of the store to a command.
    private var place: [String] { ["--store", store, "--key-file", keyFile] }

    /// Makes the fleet, enrolls the accounts, and has so many listeners take a push for each.
    func report(of listeners: [Int]) async throws -> FleetReport {
        try await pushauth(
            [
                "fleet", "init", "--public-url", "http://127.0.0.1", "--credentials",
                site.path("push"),
            ])
        for start in stride(from: 0, to: devices, by: 100) {
            let names = (start..<min(devices, start + 100)).map { "device-\($0)" }
            try await pushauth(["device", "add"] + names)
        }
        let records = try await ServerStore.open(store, keyFile: keyFile)
        try await enroll(on: records)
        var report = FleetReport(count: site.count, devices: devices, width: site.width)
        var bare = try await compareAndSet(records, "before")
        for count in listeners {
            report.runs.append((count, try await logins(through: count)))
        }
        bare = (bare + (try await compareAndSet(records, "after"))) / 2
        report.bare = bare
        return report
    }

    // MARK: What is there before

    private func enroll(on records: any CredentialStore) async throws {
        let listing = try await pushauth(["device", "list", "--json"])
        let ids = try listing.split(separator: "\n")
            .map { try JSON(parsing: String($0)).text("id") }
        try await times(min(ids.count, site.count), width: site.width) { [site, devices] index in
            let authenticator = try site.authenticator(
                over: ScopedStore(records, scope: "d/" + ids[index]), site.transport)
            for number in stride(from: index, to: site.count, by: devices) {
                try await site.enroll(number, with: authenticator)
            }
        }
    }

    @discardableResult
    private func pushauth(_ arguments: [String]) async throws -> String {
        let output = Pipe()
        let process = try ChildProcess(
            program, arguments + place + ["--config", site.path("pushauth.toml")],
            streams: (.nullDevice, output.fileHandleForWriting, .standardError))
        var text = ""
        for await line in Lines.stream(from: output.fileHandleForReading) { text += line + "\n" }
        guard await process.ended().code == 0 else {
            throw PushError(.storage, "`pushauth \(arguments[0])` failed.")
        }
        return text
    }

    // MARK: What is measured

    /// Logins a second.
    private func logins(through count: Int) async throws -> Double {
        let (ids, pushes) = try await site.startAddressedLogins(site.count)
        let listeners = try await startListeners(count)
        defer { for listener in listeners { listener.stop() } }
        for listener in listeners { try await listener.rest() }
        let secret = try String(contentsOfFile: site.path("push/http-secret"), encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let (urls, transport) = (listeners.map(\.url), site.transport)
        let start = ContinuousClock.now
        async let answered: Void = answers(of: listeners)
        try await times(site.count, width: site.width) { index in
            let push = pushes[index]
            let token =
                switch push.deviceToken {
                case .fcm(let text): text
                case .apns(let hex, _): hex.lowercased()
                @unknown default: ""
                }
            let body: JSON = ["token": .string(token), "data": try JSON(parsing: push.payload)]
            try await LoadRun.deliver(
                body.data, to: urls[index % urls.count], over: transport, secret: secret)
        }
        try await answered
        let time = ContinuousClock.now - start
        try await site.checkApproved(ids)
        return Double(site.count) / (time / .seconds(1))
    }

    private func startListeners(_ count: Int) async throws -> [LoadListener] {
        var listeners: [LoadListener] = []
        for _ in 0..<count {
            listeners.append(
                try await LoadListener(program, at: site, on: place + ["--take-up", "3600"]))
        }
        return listeners
    }

    /// Waits until all are answered, whichever of them does so.
    private func answers(of listeners: [LoadListener]) async throws {
        let (answers, source) = AsyncThrowingStream<Void, any Error>.makeStream()
        let readers = listeners.map { listener in
            Task {
                do {
                    try await listener.forEachAnswer {
                        source.yield()
                        return true
                    }
                } catch {
                    source.finish(throwing: error)
                }
            }
        }
        defer { for reader in readers { reader.cancel() } }
        var left = site.count
        for try await _ in answers {
            left -= 1
            if left == 0 { return }
        }
    }

    /// Compare-and-sets a second, each of a record that is there.
    private func compareAndSet(_ records: any CredentialStore, _ name: String) async throws
        -> Double
    {
        let rounds = max(20, site.count / Self.bare.width)
        let value = Secret([UInt8](repeating: 0x5A, count: Self.bare.size))
        let start = ContinuousClock.now
        try await times(Self.bare.width, width: Self.bare.width) { index in
            let key = RecordKey("bare", "\(name)-\(index)")
            var revision: Revision?
            for _ in 0..<rounds {
                revision = try await records.write(value, for: key, replacing: revision)
            }
        }
        return Double(rounds * Self.bare.width) / ((ContinuousClock.now - start) / .seconds(1))
    }
}

/// What the measurements of a fleet came to.
struct FleetReport {
    let count: Int
    let devices: Int
    let width: Int
    var runs: [(listeners: Int, rate: Double)] = []
    var bare = 0.0

    var text: String {
        let head =
            "\(count) pushes for \(devices) devices, \(width) at once, all approved\n"
            + line("compare-and-set", bare, "8 at once")
        return runs.reduce(head) { text, run in
            let first = runs.first?.rate ?? run.rate
            let notes =
                "\(format(run.rate / bare, 2)) of compare-and-set, "
                + "\(format(run.rate / first, 2)) of the first"
            return text + "\n"
                + line("\(run.listeners) listener\(run.listeners == 1 ? "" : "s")", run.rate, notes)
        }
    }

    private func line(_ name: String, _ rate: Double, _ note: String) -> String {
        name.padding(toLength: 20, withPad: " ", startingAt: 0) + "\(format(rate, 0))/s  \(note)"
    }

    private func format(_ number: Double, _ digits: Int) -> String {
        String(format: "%.\(digits)f", number)
    }
}
