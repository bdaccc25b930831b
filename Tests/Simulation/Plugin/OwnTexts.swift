import PushCore
import PushTesting

/// How often one step reads JSON texts that this device wrote itself.
public struct OwnTexts: Hashable, Sendable {
    /// How many it read of records.
    public private(set) var count = 0

    /// How many of them it had read before.
    public private(set) var repeated = 0

    /// How many of them were the provider's half.
    public private(set) var credentials = 0

    /// Runs a step, and counts in what is on record before and after it.
    static func read<Value: Sendable>(
        in memory: InMemoryStore, by body: () async throws(PushError) -> Value
    ) async throws(PushError) -> (value: Value, texts: OwnTexts) {
        var records = try await memory.records
        let heard = Heard()
        let result = await heard.listening {
            await Result { () async throws(PushError) in try await body() }
        }
        records += try await memory.records
        var texts = OwnTexts()
        var known: Set<[UInt8]> = []
        // A text as short as `{}` may stand in a record by chance.
        for text in heard.texts.withLock({ $0 })
        where text.count >= 8
            && records.contains(where: { $0.withBytes { Array($0).contains(text) } })
        {
            texts.count += 1
            if !known.insert(text).inserted { texts.repeated += 1 }
            let isCredential = records.compactMap(RecordedDocument.init).contains {
                // `PR`, a version and a length come before the fields of a record.
                $0.credential.dropFirst(7).starts(with: text)
            }
            if isCredential { texts.credentials += 1 }
        }
        return (try result.get(), texts)
    }
}

extension InMemoryStore {
    fileprivate var records: [Secret] {
        get async throws(PushError) {
            try await page(after: nil, limit: 10_000).records.compactMap {
                try? $0.content.get()?.value
            }
        }
    }
}

/// Hears what one step reads, but not what the vendor's side of an exchange does.
final class Heard: Sendable {
    let texts = Locked<[[UInt8]]>([])

    func listening<Value: Sendable>(_ body: () async -> Value) async -> Value {
        #if DEBUG
        await JSON.listener.withValue(self) { await body() }
        #else
        await body()
        #endif
    }

    static func deaf<Value: Sendable>(_ body: () async -> Value) async -> Value {
        #if DEBUG
        await JSON.listener.withValue(nil) { await body() }
        #else
        await body()
        #endif
    }
}

#if DEBUG
extension Heard: JSONListener {
    func hear(_ text: [UInt8]) { texts.withLock { $0.append(text) } }
}
#endif
