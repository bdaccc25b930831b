import LinkedVendors
import VendorRegistration

@testable import PushAuthCommand

extension Policy {
    /// A policy whose rules may name the linked vendors' own providers.
    init(parsing text: String) throws {
        try self.init(parsing: text, providers: LinkedVendors.all.map(\.name))
    }
}
