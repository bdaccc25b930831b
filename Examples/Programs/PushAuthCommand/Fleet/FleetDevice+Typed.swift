import ArgumentParser

extension FleetDevice.Service: ExpressibleByArgument {}

extension FleetDevice {
    /// A name that a command line and a log can carry as it is.
    static func check(_ name: String) throws(Failure) {
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"):
                true
            default: "-_.@".utf8.contains(byte)
            }
        }
        guard isPlain, (1...64).contains(name.utf8.count), !name.hasPrefix("-") else {
            throw Failure(
                .usage,
                "A device's name has 1 to 64 letters of ASCII, digits and -_.@, and begins with no "
                    + "hyphen.")
        }
    }
}

extension [FleetDevice.Service: Int] {
    /// The warning that some devices use a service for which there is no intake; `nil` without such devices.
    func warning(_ intakes: String) -> Failure? {
        guard let service = FleetDevice.Service.allCases.first(where: { self[$0] != nil }) else {
            return nil
        }
        let flag = "--\(service.rawValue)"
        let name = service == .fcm ? "FCM" : "APNs"
        return Failure(
            .failed,
            "\(FleetListing.devices(self[service] ?? 0)) gave vendors a token of \(name), and "
                + "\(intakes) \(flag): vendors that push by \(name) reach nobody.",
            advice: "Give a listener \(flag), or make devices by `pushauth device add --service "
                + "\(service == .fcm ? "apns" : "fcm")`.")
    }
}
