import ArgumentParser
import PushCore
import PushPlatform
import PushSealing
import TerminalIO

struct FleetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet", abstract: "Set up a store for authenticators on many machines.",
        subcommands: [Prepare.self, Init.self, Credentials.self, Rotate.self])

    struct Prepare: LinkingCommand {
        static let configuration = CommandConfiguration(
            commandName: "prepare", abstract: "Make the tables of a tenant in PostgreSQL.",
            discussion: """
                It takes a store's URL with a role that may make schemas in the database. What is there \
                already stays. etcd needs no such thing.
                """)

        @Option(
            help: ArgumentHelp(
                "The role that the authenticators will have. Default: the URL's.",
                valueName: "name"))
        var role: String?

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await reporting {
                let configuration = try options.linkedProviders().configuration
                let access = try StoreAccess(options: options, configuration: configuration)
                guard case .postgres(let place) = access.location else {
                    throw Failure(
                        .usage, "\(access.location.text) is no database of PostgreSQL.",
                        advice: "Such as --store \(PostgresPlace.example).")
                }
                do throws(PushError) {
                    try await PostgresAccess(place, configuration.store, access.places)
                        .prepare(for: role)
                } catch {
                    throw access.failure(error)
                }
                options.reporter.tell("The tenant '\(place.tenant)' has its tables.")
                return .done
            }
        }
    }

    struct Init: LinkingCommand {
        static let configuration = CommandConfiguration(
            commandName: "init", abstract: "Make a fleet: its keys, accounts and certificates.",
            discussion: """
                It is done once, from any machine. Everything is kept sealed in the store, where each \
                process finds it. A tenant has one fleet; a second one is refused.
                """)

        @Option(
            help: ArgumentHelp(
                "Where senders reach FCM and HTTP, as the balancer shows it.", valueName: "URL"))
        var publicURL: String

        @Option(
            help: ArgumentHelp(
                "Where senders reach APNs. Default: port 2197 of that host.", valueName: "URL"))
        var apnsURL: String?

        @Option(
            help: ArgumentHelp(
                "Write what senders need into this directory, too.", valueName: "directory"),
            completion: .directory)
        var credentials: String?

        @OptionGroup var options: GlobalOptions

        private enum CodingKeys: CodingKey {
            case publicURL, apnsURL, credentials, options
        }

        func run() async throws {
            try await reporting {
                let addresses = try FleetSetup.Addresses(web: publicURL, apns: apnsURL)
                let ground = try await Ground(options, makingShared: true)
                guard let fleet = ground.fleet else { throw Fleet.noFleet }
                let setup = try await FleetSetup.make(at: addresses, random: SystemRandom())
                try await fleet.found(setup)
                options.reporter.tell(
                    "The tenant '\(fleet.tenant)' has a fleet. Next: `pushauth device add NAME`.")
                if let credentials {
                    try setup.write(into: try CredentialsDirectory(credentials))
                }
                return .done
            }
        }
    }

    struct Credentials: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "credentials",
            abstract: "Write what servers need to send pushes to the fleet, or replace it.",
            subcommands: [Write.self, Renew.self], defaultSubcommand: Write.self)

        struct Write: LinkingCommand {
            static let configuration = CommandConfiguration(
                commandName: "write", abstract: "Write it as it is.")

            @OptionGroup var target: Target
            @OptionGroup var options: GlobalOptions

            func run() async throws {
                try await reporting {
                    try await target.write(options) { fleet in try await fleet.setup() }
                    options.reporter.tell("Written into \(target.directory).")
                    return .done
                }
            }
        }

        struct Renew: LinkingCommand {
            static let configuration = CommandConfiguration(
                commandName: "rotate", abstract: "Replace it, and write what is new.",
                discussion: """
                    Devices and their tokens stay. A listener takes what is new, and nothing else, from its \
                    next start on: give it to the senders, then start all listeners again.
                    """)

            @OptionGroup var target: Target
            @OptionGroup var options: GlobalOptions

            func run() async throws {
                try await reporting {
                    try await target.write(options) { fleet in
                        try await fleet.renew(random: SystemRandom())
                    }
                    options.reporter.tell(
                        "Replaced, and written into \(target.directory). Give it to the senders, then "
                            + "start all listeners again: until then they take what was before.")
                    return .done
                }
            }
        }

        /// Where it is written.
        struct Target: ParsableArguments {
            @Argument(
                help: "The directory; it is made, and readable by its owner alone.",
                completion: .directory)
            var directory: String

            func write(
                _ options: GlobalOptions, _ setup: (Fleet) async throws -> FleetSetup
            ) async throws {
                let ground = try await Ground(options)
                guard let fleet = ground.fleet else { throw Fleet.noFleet }
                // First, as nobody would have what was replaced.
                let directory = try CredentialsDirectory(directory)
                try await setup(fleet).write(into: directory)
            }
        }
    }

    struct Rotate: LinkingCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate", abstract: "Seal the store with another key, while all goes on.",
            discussion: """
                `next-key-file` in [store] of the configuration names the new key. Every process must \
                have been started with it before. It takes a minute, and as long as writing every \
                record does. One that was interrupted is finished by the next.
                """)

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await reporting {
                let configuration = try options.linkedProviders().configuration
                let access = try StoreAccess(options: options, configuration: configuration)
                guard access.location.isShared else { throw Fleet.noFleet }
                guard let next = configuration.store.nextKeyFile else {
                    throw Failure(
                        .store, "The configuration names no key to change to.",
                        advice:
                            "Name it by `next-key-file` in [store], on every machine, and start "
                            + "every listener again; then call this.")
                }
                let store = try await access.sealed()
                options.reporter.tell("It takes a minute at least; all may go on meanwhile.")
                do throws(PushError) {
                    try await store.rotate(to: .file(next))
                } catch {
                    throw access.failure(error)
                }
                options.reporter.tell(
                    "The store is sealed with the key in \(next) alone. Next, on each machine: put it "
                        + "in the place of the old key, take `next-key-file` out, start the listener "
                        + "again.")
                return .done
            }
        }
    }
}
