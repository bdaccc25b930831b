import PushCore
import PushPostgres

/// A store that machines share: its servers, its key, and its fleet.
struct SharedStoreChecks {
    let access: StoreAccess
    let configuration: Configuration

    /// From here on a member's database is nearly full.
    private static let fullness = 0.8

    /// - Returns: What is open; `nil` if it can't be used.
    func look(
        _ linked: LinkedProviders, _ report: (DoctorCheck) -> Void
    ) async -> Ground? {
        report(StoreChecks(access: access).key())
        do {
            switch access.location {
            case .directory: return nil
            case .etcd(let place):
                try await look(
                    at: EtcdAccess(place, configuration.store, access.places), report)
            case .postgres(let place):
                try await look(
                    at: PostgresAccess(place, configuration.store, access.places), report)
            }
        } catch {
            report(Self.problem(access.failure(error)))
            return nil
        }
        return await opened(linked, report)
    }

    private func opened(
        _ linked: LinkedProviders, _ report: (DoctorCheck) -> Void
    ) async -> Ground? {
        do {
            let ground = try await Ground(access.options, linked: linked)
            report(.ok("store", "\(access.location.text) opens."))
            guard let fleet = ground.fleet else { return ground }
            let setup = try await fleet.setup()
            let count = try await fleet.forEachPage { _ in }
            report(
                .ok(
                    "fleet",
                    "\(FleetListing.devices(count)); senders find it at \(setup.addresses.web) and "
                        + "\(setup.addresses.apns)."))
            if let intakes = try await FleetMember.intakes(in: fleet.records),
                let warning = try await fleet.unserved(by: intakes)
                    .warning("no listener on record has")
            {
                report(.warning("fleet", warning.text, warning.advice ?? ""))
            }
            return ground
        } catch {
            report(Self.problem(Failure(error)))
            return nil
        }
    }

    private func look(
        at etcd: EtcdAccess, _ report: (DoctorCheck) -> Void
    ) async throws(PushError) {
        let members = try await etcd.members()
        for member in members {
            guard let size = member.size else {
                report(
                    .warning(
                        "member", "\(member.name): \(member.reason ?? "It doesn't answer.")",
                        "Start it, or correct its address; more than half of the members must run.")
                )
                continue
            }
            let share = "\(Int(size.used / size.quota * 100)) % of its quota is used"
            guard size.used / size.quota >= Self.fullness else {
                report(.ok("member", "\(member.name) answers; \(share)."))
                continue
            }
            report(
                .warning(
                    "member", "\(member.name) answers; \(share).",
                    "A full one refuses every write: compact and defragment it, or raise "
                        + "--quota-backend-bytes."))
        }
    }

    private func look(
        at postgres: PostgresAccess, _ report: (DoctorCheck) -> Void
    ) async throws(PushError) {
        let concerns = try await postgres.store().concerns()
        if concerns.isEmpty {
            report(.ok("durability", "The server keeps what it confirms, as far as it says."))
        }
        for concern in concerns {
            report(
                .warning(
                    "durability", concern.description,
                    "Set it in postgresql.conf, or by ALTER SYSTEM, and let the server read it again."
                ))
        }
    }

    private static func problem(_ failure: Failure) -> DoctorCheck {
        .problem("store", failure.text, failure.advice ?? "Correct that first.")
    }
}
