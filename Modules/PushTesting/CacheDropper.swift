package import HTTPTypes
package import PushCore

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Drops what a plugin keeps in memory, before and after calls out of it.
package actor CacheDropper {
    /// When it drops.
    package enum Moment: Sendable {
        case never
        case always
        /// At one moment, counted from 0.
        case once(Int)
    }

    private let moment: Moment
    private var drop: (@Sendable () async -> Void)?

    /// How many moments there were since it watches.
    package private(set) var moments = 0

    /// Creates a dropper that watches nothing yet.
    package init(_ moment: Moment) { self.moment = moment }

    /// Begins to count moments, and to drop.
    package func watch(_ drop: @escaping @Sendable () async -> Void) { self.drop = drop }

    /// A moment.
    package func pass() async {
        guard let drop else { return }
        let now = moments
        moments += 1
        switch moment {
        case .never: return
        case .once(let chosen): if chosen != now { return }
        case .always: break
        }
        await drop()
    }

    /// Makes a call, between two moments.
    package nonisolated func around<Value: Sendable, Failure: Error>(
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        await pass()
        let result: Result<Value, Failure>
        do throws(Failure) {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        await pass()
        return try result.get()
    }
}

extension CacheDropper {
    /// What came of a story that was told many times.
    package struct Telling: Sendable {
        /// What came of it with nothing dropped.
        package let outcome: [String]

        /// At how many moments something can be dropped.
        package let moments: Int

        /// What else came of it, and where something was dropped then.
        package let differences: [String]
    }

    /// Tells a story with nothing dropped, with everything dropped at each moment, and at each one
    /// moment alone.
    package static func tell(
        _ story: (CacheDropper) async throws -> [String]
    ) async throws -> Telling {
        let whole = CacheDropper(.never)
        let outcome = try await story(whole)
        let moments = await whole.moments
        var differences: [String] = []
        for moment in [.always] + (0..<moments).map(Moment.once) {
            do {
                let found = try await story(CacheDropper(moment))
                if found != outcome { differences.append("\(moment) of \(moments): \(found)") }
            } catch {
                differences.append("\(moment) of \(moments): \(error)")
            }
        }
        return Telling(outcome: outcome, moments: moments, differences: differences)
    }
}

extension CacheDropper {
    /// Checks that the same comes of a story whatever is dropped, and that there is enough to drop.
    ///
    /// - Throws: A sentence that says what else came of it.
    package static func check(
        that story: (CacheDropper) async throws -> [String], ends expected: [String]
    ) async throws {
        let told = try await tell(story)
        guard told.outcome == expected else {
            throw Finding(description: "\(told.outcome) came of it, not \(expected).")
        }
        guard told.differences.isEmpty else {
            throw Finding(description: told.differences.joined(separator: "\n"))
        }
        guard told.moments > 10 else {
            throw Finding(description: "There were only \(told.moments) moments.")
        }
    }

    private struct Finding: Error, CustomStringConvertible {
        let description: String
    }
}

/// A store whose every call is a moment.
package struct DroppingStore: CredentialStore {
    private let store: any CredentialStore
    private let dropper: CacheDropper

    /// Creates a store in front of another one.
    package init(_ store: any CredentialStore, _ dropper: CacheDropper) {
        self.store = store
        self.dropper = dropper
    }

    package func read(
        _ key: RecordKey
    ) async throws(PushError) -> (value: Secret, revision: Revision)? {
        await dropper.pass()
        let found = try await store.read(key)
        await dropper.pass()
        return found
    }

    package func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? {
        try await dropper.around { () async throws(PushError) -> Revision? in
            try await store.write(value, for: key, replacing: revision, waits: waits)
        }
    }

    package func discard(_ key: RecordKey) async throws(PushError) {
        try await dropper.around { () async throws(PushError) -> Void in
            try await store.discard(key)
        }
    }

    package func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        try await dropper.around { () async throws(PushError) -> NamePage in
            try await store.names(in: collection, waiting: waiting, after: name, limit: limit)
        }
    }
}

/// A network whose every exchange is a moment.
package struct DroppingTransport: Transport {
    private let transport: any Transport
    private let dropper: CacheDropper

    /// Creates a network in front of another one.
    package init(_ transport: any Transport, _ dropper: CacheDropper) {
        self.transport = transport
        self.dropper = dropper
    }

    package func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        await dropper.pass()
        do throws(PushError) {
            let reply = try await transport.send(request, body: body)
            await dropper.pass()
            return reply
        } catch {
            await dropper.pass()
            throw error
        }
    }
}

/// A user each of whose answers is a moment.
package struct DroppingUser: UserVerifier {
    private let user: any UserVerifier
    private let dropper: CacheDropper

    /// Creates a user in front of another one.
    package init(_ user: any UserVerifier, _ dropper: CacheDropper) {
        self.user = user
        self.dropper = dropper
    }

    package func verify(_ request: VerificationRequest) async throws(PushError) -> [Evidence] {
        try await dropper.around { () async throws(PushError) -> [Evidence] in
            try await user.verify(request)
        }
    }
}
