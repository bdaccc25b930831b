import PushCore
import PushSimulation
import Testing

/// How often a login asks the store, by plugin.
struct StoreTripTests {
    @Test(
        arguments: Vendor.allCases.filter { $0 != .acme },
        [false, true])
    func `a login takes as few trips to every store`(
        _ vendor: Vendor, _ isShared: Bool
    ) async throws {
        let trips = try await StoreTrips.ofLogin(with: vendor, isShared: isShared)
        print("\(vendor): \(trips), \(trips.texts.map { ($0.count, $0.repeated, $0.credentials) })")
        let parts = [trips.received, trips.opened, trips.answered]
        // OneSpan's engine writes its own counter, as it opens and as it signs.
        // What Keycloak's list says of a challenge is kept when it's opened.
        let expected: [Vendor: [Int]] = [.oneSpan: [2, 2, 3], .keycloak: [2, 2, 2]]
        #expect(parts == expected[vendor] ?? [2, 1, 2], "\(trips)")
        for texts in trips.texts {
            #expect(texts.credentials <= 1 && texts.repeated == 0, "\(trips.texts)")
        }
        #expect(trips.texts[0].count > 0)
        let durable: [Vendor: Int] = [.oneSpan: 5, .keycloak: 4]
        #expect(trips.durable == durable[vendor] ?? 3, "\(trips)")
    }
}
