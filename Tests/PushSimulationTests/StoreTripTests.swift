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
        #expect(parts == (vendor == .oneSpan ? [2, 2, 3] : [2, 1, 2]), "\(trips)")
        for texts in trips.texts {
            #expect(texts.credentials <= 1 && texts.repeated == 0, "\(trips.texts)")
        }
        #expect(trips.texts[0].count > 0)
        #expect(trips.durable == (vendor == .oneSpan ? 5 : 3), "\(trips)")
    }
}
