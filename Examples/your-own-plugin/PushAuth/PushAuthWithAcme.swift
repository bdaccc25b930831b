// snippet: pushauth
import LinkedVendors
import PushAcme
import PushAuthCommand
import PushCore
import VendorRegistration

/// `pushauth` with one more vendor, Acme.
@main
enum PushAuthWithAcme {
    private static let acme = LinkedVendor(
        "acme", messages: "acme beside device and mac", standard: EmptySection()
    ) { (_, place) throws(PushError) in Acme(id: place.id, in: place.environment) }

    static func main() async {
        await PushAuthProgram.run(linking: LinkedVendors.all + [acme])
    }
}
// end snippet
