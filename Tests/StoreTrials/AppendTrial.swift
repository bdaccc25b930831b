package import PushCore
import PushTesting

/// Writers append marks to shared lists by compare-and-set, while replies are lost or servers die. At the
/// end each acknowledged mark must be there once, and no refused one at all.
package struct AppendTrial: Sendable {
    /// What became of the marks.
    package struct Tally: Sendable, CustomStringConvertible {
        package var acknowledged = 0
        /// Acknowledged, but not there.
        package var lost = 0
        /// There twice or more.
        package var doubled = 0
        /// Refused, by a conflict or because nothing had changed, but there.
        package var refusedButThere = 0
        package var refused = 0
        /// The store couldn't say.
        package var unknown = 0
        /// Of these, how many are there.
        package var unknownButThere = 0
        /// Reads that failed.
        package var failedReads = 0
        /// What was thrown that the store's protocol doesn't know.
        package var strange: [String] = []
        package var longest: Duration = .zero

        /// What must never be.
        package var broken: Int { lost + doubled + refusedButThere + strange.count }

        package var description: String {
            "acknowledged \(acknowledged), lost \(lost), doubled \(doubled), refused but there "
                + "\(refusedButThere), refused \(refused), unknown \(unknown) "
                + "(there \(unknownButThere)), reads failed \(failedReads), strange \(strange), "
                + "longest \(longest.formattedSeconds) s"
        }
    }

    private let stores: [any CredentialStore]
    private let witness: any CredentialStore
    private let lists: Int
    private let collection: String

    /// Creates a trial.
    ///
    /// - Parameters:
    ///   - stores: One for each writer.
    ///   - witness: Reads the lists at the end; nothing should be lost on its way.
    ///   - lists: How many lists the writers share.
    ///   - collection: Where the lists are; nothing else may be there.
    package init(
        _ stores: [any CredentialStore], witness: any CredentialStore, lists: Int,
        in collection: String = "append"
    ) {
        self.stores = stores
        self.witness = witness
        self.lists = lists
        self.collection = collection
    }

    /// How far a trial is.
    package struct Progress: Sendable {
        fileprivate let acknowledgments = Locked(0)

        /// How many marks were acknowledged so far.
        package var acknowledged: Int { acknowledgments.withLock { $0 } }

        /// Waits for more acknowledged marks, but not for ever: a machine may be busy.
        package func more(_ count: Int, within limit: Duration = .seconds(120)) async throws {
            let (goal, end) = (acknowledged + count, ContinuousClock.now + limit)
            while acknowledged < goal, ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    /// Appends until something else is over, then looks.
    ///
    /// - Parameter body: What happens meanwhile, such as the death of servers.
    /// - Returns: What became of the marks.
    /// - Throws: What `body` throws, or the witness.
    package func run(
        while body: @Sendable @escaping (Progress) async throws -> Void
    ) async throws -> Tally {
        let isOver = Locked(false)
        let progress = Progress()
        async let meanwhile: Void = body(progress)
        async let appended = append(until: isOver, progress)
        let end: Result<Void, any Error>
        do { end = .success(try await meanwhile) } catch { end = .failure(error) }
        isOver.withLock { $0 = true }
        let writers = await appended
        try end.get()
        return try await look(at: writers)
    }

    // MARK: Writing

    private struct Writer: Sendable {
        var acknowledged: Set<String> = []
        var refused: Set<String> = []
        var unknown: Set<String> = []
        var failedReads = 0
        var strange: [String] = []
        var longest: Duration = .zero
    }

    private func append(until isOver: Locked<Bool>, _ progress: Progress) async -> [Writer] {
        await withTaskGroup(of: Writer.self) { group in
            for (number, store) in stores.enumerated() {
                group.addTask {
                    var writer = Writer()
                    var count = 0
                    while !isOver.withLock({ $0 }) {
                        count += 1
                        let start = ContinuousClock.now
                        let before = writer.acknowledged.count
                        await append("\(number).\(count);", in: store, &writer)
                        let more = writer.acknowledged.count - before
                        progress.acknowledgments.withLock { $0 += more }
                        writer.longest = max(writer.longest, ContinuousClock.now - start)
                        // A store in memory never suspends, and what ends the trial needs a thread.
                        await Task.yield()
                    }
                    return writer
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func append(
        _ mark: String, in store: any CredentialStore, _ writer: inout Writer
    ) async {
        let list = RecordKey(collection, "\(Int.random(in: 0..<lists))")
        let found: (value: Secret, revision: Revision)?
        do throws(PushError) {
            found = try await store.read(list)
        } catch {
            writer.failedReads += 1
            return
        }
        let value = Secret((found?.value.withBytes { Array($0) } ?? []) + Array(mark.utf8))
        do throws(PushError) {
            try await store.write(value, for: list, replacing: found?.revision)
            writer.acknowledged.insert(mark)
        } catch {
            switch error.code {
            case .conflict, .storage: writer.refused.insert(mark)
            case .storageUnknown: writer.unknown.insert(mark)
            default: writer.strange.append("\(error)")
            }
        }
    }

    // MARK: Looking

    private func look(at writers: [Writer]) async throws -> Tally {
        var there: [String: Int] = [:]
        for list in 0..<lists {
            let bytes = try await witness.read(RecordKey(collection, "\(list)"))?.value
                .withBytes { Array($0) }
            for mark in String(decoding: bytes ?? [], as: UTF8.self).split(separator: ";") {
                there["\(mark);", default: 0] += 1
            }
        }
        var tally = Tally()
        for writer in writers {
            tally.acknowledged += writer.acknowledged.count
            tally.lost += writer.acknowledged.count { there[$0] == nil }
            tally.refused += writer.refused.count
            tally.refusedButThere += writer.refused.count { there[$0] != nil }
            tally.unknown += writer.unknown.count
            tally.unknownButThere += writer.unknown.count { there[$0] != nil }
            tally.failedReads += writer.failedReads
            tally.strange += writer.strange
            tally.longest = max(tally.longest, writer.longest)
        }
        tally.doubled = there.values.count { $0 > 1 }
        return tally
    }
}

extension Duration {
    fileprivate var formattedSeconds: String {
        let milliseconds =
            components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
        return "\(milliseconds / 1000).\(milliseconds % 1000 / 100)"
    }
}
