import PushCore
import PushForgeRockSimulator
import PushPlusAuthSimulator
import PushTesting

/// Two vendors' servers in this process, and the network that leads to both.
struct Servers {
    let bank: any VendorSimulator = ForgeRockSimulator()
    let shop: any VendorSimulator = PlusAuthSimulator()

    var all: [any VendorSimulator] { [bank, shop] }

    /// Says where each is, and connects them.
    func network() async throws -> SimulatedTransport {
        try await bank.move(to: "https://bank.example.com")
        try await shop.move(to: "https://shop.example.com")
        return SimulatedTransport(toHosts: ["bank.example.com": bank, "shop.example.com": shop])
    }
}
