import PushCore
import PushPostgres

/// How this machine reaches PostgreSQL.
struct PostgresAccess {
    private let place: PostgresPlace
    private let configuration: PostgresStore.Configuration

    /// - Throws: `PushError`, whose cause is a `Failure` that says what is wrong.
    init(
        _ place: PostgresPlace, _ settings: Configuration.Store, _ places: Places
    ) throws(PushError) {
        self.place = place
        do throws(Failure) {
            try settings.checkFiles()
            let address = place.address(
                user: settings.user,
                password: try StorePassword.read(settings, in: places.environment),
                files: [
                    ("sslrootcert", settings.authorities), ("sslcert", settings.certificate),
                    ("sslkey", settings.key),
                ])
            configuration = PostgresStore.Configuration(address, schema: place.tenant)
        } catch {
            throw PushError(.storage, error.text, underlying: error)
        }
    }

    func store(
        onSettled: (@Sendable (SettledWrite) -> Void)? = nil
    ) async throws(PushError) -> PostgresStore {
        var configuration = configuration
        configuration.onSettled = onSettled
        do throws(PushError) {
            return try await PostgresStore(configuration)
        } catch {
            guard let state = (error.underlying as? PostgresFailure)?.state,
                ["42P01", "42703", "3F000"].contains(state)
            else { throw error }
            throw PushError(
                .storage, "The database has no tables of the tenant '\(place.tenant)'.",
                underlying: Advice(
                    "Look whether the tenant is right in \(place.text). As a role that may make "
                        + "schemas, `pushauth fleet prepare` makes them."))
        }
    }

    /// Makes the schema and its tables.
    func prepare(for role: String?) async throws(PushError) {
        try await PostgresStore.prepare(configuration, for: role)
    }
}
