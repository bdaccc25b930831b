import Foundation
import IndependentEncodings
import PushCore
import PushForgeRock
import PushTesting
import Testing

/// What the vendor's SDKs keep, with invented values: `Vectors/stored-records.json`, which the Python
/// program beside it writes.
struct StoredRecords {
    let texts: [String: String]

    static let mechanism = WorkedExample.mechanism

    init() throws {
        texts = try JSONDecoder().decode(
            [String: String].self, from: Data(contentsOf: Self.file("stored-records.json")))
    }

    static func file(_ name: String) throws -> URL {
        try #require(Bundle.module.resourceURL).appending(path: "Vectors/\(name)")
    }

    func text(_ name: String) throws -> String {
        try #require(texts[name], "There is no record \(name).")
    }

    func bytes(_ name: String) throws -> Data {
        try #require(Data(base64Encoded: text(name)))
    }

    /// A record as an app hands it over.
    func callAsFunction(
        _ name: String, from platform: VendorRecord.Platform = .iOS, secret: String? = nil
    ) throws -> VendorRecord {
        if name.hasPrefix("archive") || name.hasPrefix("bad") {
            return .archive(try bytes(name))
        }
        if name.hasSuffix("-uri") {
            return .uri(try text(name), id: Self.mechanism, from: platform)
        }
        return .json(
            Data(try text(name).utf8), from: platform,
            secret: secret.map { Secret(copying: $0) })
    }
}

extension ImportReport {
    /// Why the only record that was left wasn't taken.
    var refusal: PushError.Code? {
        guard entries.count == 1, case .left(let error)? = entries.first?.result else { return nil }
        return error.code
    }
}

extension ForgeRockHarness {
    /// Every record of the store, as bytes.
    func everyRecord() async throws -> [String: [UInt8]] {
        var all: [String: [UInt8]] = [:]
        for id in try await authenticator.enrollmentIDs() {
            all[id.name] = try await store.read(.enrollment(id))?.value.copied
        }
        all["count"] = [UInt8(await store.count)]
        return all
    }

    func enrollment(_ name: String) async throws -> Enrollment {
        try #require(
            try await authenticator.enrollment(Enrollment.ID(name, of: "forgerock")))
    }

    func code(_ name: String) async throws -> String {
        try await authenticator.code(for: Enrollment.ID(name, of: "forgerock")).text.copiedText()
    }
}
