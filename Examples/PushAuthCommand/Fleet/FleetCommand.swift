import ArgumentParser
import PushCore
import TerminalIO

struct FleetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet", abstract: "Set up a store for authenticators on many machines.",
        subcommands: [Prepare.self, Init.self, Credentials.self])

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
                        .failed, "\(access.location.text) is no database of PostgreSQL.",
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

    struct Credentials: LinkingCommand {
        static let configuration = CommandConfiguration(
            commandName: "credentials",
            abstract: "Write what servers need to send pushes to the fleet.")

        @Argument(
            help: "The directory; it is made, and readable by its owner alone.",
            completion: .directory)
        var directory: String

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await reporting {
                let ground = try await Ground(options)
                guard let fleet = ground.fleet else { throw Fleet.noFleet }
                let setup = try await fleet.setup()
                try setup.write(into: try CredentialsDirectory(directory))
                options.reporter.tell("Written into \(directory).")
                return .done
            }
        }
    }
}
