import PushCore
import PushSimulation
import Testing

/// How often a login asks the store, by plugin.
struct StoreTripTests {
    @Test(arguments: Vendor.plugins, [false, true])
    func `a login takes as few trips to every store`(
        _ vendor: Vendor, _ isShared: Bool
    ) async throws {
        let trips = try await StoreTrips.ofLogin(with: vendor, isShared: isShared)
        print("\(vendor): \(trips), \(trips.texts.map { ($0.count, $0.repeated, $0.credentials) })")
        let parts = [trips.received, trips.opened, trips.answered]
        let further: [Vendor: (parts: [Int], durable: Int)] = [
            .oneSpan: ([2, 2, 3], 5),  // Its engine writes a counter, as it opens and as it signs.
            .keycloak: ([2, 2, 2], 4),  // What its list says of a challenge is kept as it's opened.
        ]
        let expected = further[vendor] ?? ([2, 1, 2], 3)
        #expect(parts == expected.parts, "\(trips)")
        for texts in trips.texts {
            #expect(texts.credentials <= 1 && texts.repeated == 0, "\(trips.texts)")
        }
        #expect(trips.texts[0].count > 0)
        #expect(trips.durable == expected.durable, "\(trips)")
    }
}
