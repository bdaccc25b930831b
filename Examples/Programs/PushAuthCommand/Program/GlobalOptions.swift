import ArgumentParser
import VendorRegistration

/// What every command takes.
struct GlobalOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The store: a directory, or etcd://HOST,HOST/TENANT or \
            postgres://ROLE@HOST,HOST/DATABASE?tenant=TENANT for one that machines share. Default: \
            $PUSHAUTH_STORE, else the configuration's, else pushauth/store in $XDG_DATA_HOME or \
            ~/.local/share.
            """,
            valueName: "place"),
        completion: .directory)
    var store: String?

    @Option(
        help: ArgumentHelp(
            """
            The file with the store's key, mode 0600. Default: $PUSHAUTH_KEY_FILE, else the key \
            itself in $PUSHAUTH_KEY, else the systemd credential pushauth.key, else store.key \
            beside the store, made at the first use; a shared store has none there.
            """, valueName: "file"),
        completion: .file())
    var keyFile: String?

    @Option(
        help: ArgumentHelp(
            """
            Read what opens guards, a passphrase or a key, from this file descriptor. Default: the \
            systemd credential pushauth.guard, else a passphrase is asked for.
            """, valueName: "number"))
    var guardFd: Int32?

    @Option(
        help: ArgumentHelp(
            "Which virtual device of a fleet, where machines share the store.", valueName: "name"))
    var device: String?

    @Option(
        name: .customLong("config"),
        help: ArgumentHelp(
            """
            The configuration. Default: $PUSHAUTH_CONFIG, else pushauth/config.toml in \
            $XDG_CONFIG_HOME or ~/.config.
            """,
            valueName: "file"),
        completion: .file())
    var configurationFile: String?

    @Option(
        help: ArgumentHelp(
            """
            Certificates (PEM) to trust instead of the system's, for servers of a lab. Default: \
            $PUSHAUTH_AUTHORITIES, else the configuration's.
            """,
            valueName: "file"),
        completion: .file())
    var authorities: String?

    @Flag(help: "Allow http:// to servers on this machine.")
    var plainHTTP = false

    @Option(
        help: ArgumentHelp(
            """
            Write what comes and goes into a new file, for a bug report: each secret and each name is             replaced by a mark. `push-lab replay` plays it.
            """, valueName: "file"),
        completion: .file())
    var capture: String?

    @Flag(help: "Print JSON: one object a line.")
    var json = false

    /// The vendors that the program links; no option says so.
    var vendors: [LinkedVendor] = []

    /// Whether a store is made where one was named that isn't there; no option says so. Else a misspelt
    /// name would look like an empty store.
    var makesStore = false

    /// What counts and times, where that is asked for; no option of these says so.
    var meter: Meter?

    private enum CodingKeys: CodingKey {
        case store, keyFile, guardFd, device, configurationFile, authorities, plainHTTP, capture,
            json
    }

    mutating func validate() throws {
        if let guardFd { try CallersDescriptor(number: guardFd).check() }
        PathVariable.resolve(&store, by: .store)
        PathVariable.resolve(&keyFile, by: .keyFile)
        PathVariable.resolve(&configurationFile, by: .configuration)
        PathVariable.resolve(&authorities, by: .authorities)
    }

    /// The same for a command that may be the first one of a store.
    var makingStore: GlobalOptions {
        var options = self
        options.makesStore = true
        return options
    }

    /// The same for a command that is to be counted and timed.
    var metered: GlobalOptions {
        var options = self
        options.meter = Meter()
        return options
    }

    /// What a command is seen by, beside what it does.
    func instruments(_ linked: LinkedProviders) throws(Failure) -> [any Instrument] {
        var instruments: [any Instrument] = []
        if let meter { instruments.append(meter) }
        if let capture { instruments.append(try Capture(at: capture, of: linked)) }
        return instruments
    }

    /// What the configuration makes of the vendors.
    ///
    /// - Throws: `Failure` if the configuration can't be used.
    func linkedProviders() throws(Failure) -> LinkedProviders {
        LinkedProviders(
            vendors,
            in: try Configuration.read(
                configurationFile ?? Places().configurationFile,
                isRequired: configurationFile != nil, linking: vendors))
    }

    /// Whether a store is meant that machines share.
    var isOfFleet: Bool {
        let named =
            store ?? Configuration.storePlace(in: configurationFile ?? Places().configurationFile)
        return named?.contains("://") == true
    }

    var reporter: Reporter { Reporter(isJSON: json, device: device) }
}
