/// The simulators behind the console.
enum ConsoleVendors {
    static func all() -> [ConsoleVendor] { LabVendors.all.map { $0.console() } }
}
