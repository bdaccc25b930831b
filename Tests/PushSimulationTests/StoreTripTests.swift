import PushCore
import PushSimulation
import Testing

/// How often a login asks the store, by plugin.
struct StoreTripTests {
    @Test(arguments: Vendor.allCases.filter { $0 != .acme })
    func `a login takes few trips to a store that makes several changes at once`(
        _ vendor: Vendor
    ) async throws {
        let trips = try await StoreTrips.ofLogin(with: vendor, traits: .atomic)
        print("\(vendor), atomic: \(trips)")
        let plain = try await StoreTrips.ofLogin(with: vendor, traits: [])
        print("\(vendor), one at a time: \(plain)")
        let most: (trips: Int, durable: Int) =
            switch vendor {
            case .forgeRock, .plusAuth, .xignIn, .privacyIDEA, .acme: (5, 3)
            // The PIN's counter is a write of its own.
            case .powerAuth: (6, 4)
            case .oneSpan: (7, 5)
            }
        #expect(trips.sum <= most.trips, "\(trips)")
        #expect(trips.durable <= most.durable, "\(trips)")
        #expect(trips.sum < plain.sum)
    }
}
