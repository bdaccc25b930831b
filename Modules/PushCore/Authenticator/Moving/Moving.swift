/// How enrollments move between devices.
extension PushAuthenticator {
    /// Takes what of enrollments may leave this device, for a file that another one imports.
    ///
    /// What moves is marked in the store first. From then on this device answers nothing for it and shows
    /// no code (``Enrollment/State/movedAway``, ``PushError/Code/movedAway``), until it is imported here;
    /// its open challenges are closed. What was answered here goes along, so that no push of it that comes
    /// again asks anybody there. What was moved before is given again, in case its file was never
    /// written; so a file that another device has taken must not be written twice. What can't leave goes
    /// on here, with the reason.
    ///
    /// Ask the user first: whoever has the content can answer in the user's name.
    ///
    /// - Parameter ids: The enrollments; `nil` for all. One that isn't there is left out.
    /// - Returns: What leaves, and what became of each enrollment.
    /// - Throws: ``PushError`` with the code `storage` if the enrollments can't be listed. What goes
    ///   wrong with one is said of it (``EnrollmentExport/Result/failed(_:)``), and hinders no other.
    public func export(
        _ ids: [Enrollment.ID]? = nil
    ) async throws(PushError) -> EnrollmentExport {
        await departures.export(try await chosen(ids))
    }

    /// What ``export(_:)`` would make of enrollments, to ask the user with. Nothing changes.
    ///
    /// - Parameter ids: The enrollments; `nil` for all.
    /// - Returns: What would become of each.
    /// - Throws: ``PushError`` with the code `storage` if the enrollments can't be listed.
    public func exportPreview(
        _ ids: [Enrollment.ID]? = nil
    ) async throws(PushError) -> [EnrollmentExport.Entry] {
        await departures.preview(try await chosen(ids))
    }

    /// Takes the enrollments that left another device, or this one.
    ///
    /// Nothing is sent, but that vendors are told this device's token in the background, as after an
    /// enrollment. An import that was broken off goes on with the next one, and a second one changes
    /// nothing.
    ///
    /// - Parameter content: ``EnrollmentExport/content``, opened again.
    /// - Returns: What became of each enrollment. One that can't be taken leaves the store as it was.
    /// - Throws: ``PushError`` with the code `unsupportedRecord` if a newer version wrote the content,
    ///   `malformed` if it isn't right; nothing was taken then.
    public func importEnrollments(
        from content: Secret
    ) async throws(PushError) -> [ImportedEnrollment] {
        let imported = await Arrivals(core: core, turns: turns)
            .take(try ExportContent(reading: content))
        for case .taken(let enrollment) in imported.map(\.result) {
            await adopt(enrollment)
        }
        return imported
    }

    /// The enrollments that ``importEnrollments(from:)`` would look at, to ask the user with: whoever made
    /// the content chose the hosts that answers and device tokens would go to. Nothing changes.
    ///
    /// - Parameter content: ``EnrollmentExport/content``, opened again.
    /// - Returns: Each as its plugin would make it; as the content has it, where that plugin isn't linked or
    ///   can't read it: then the import leaves it.
    /// - Throws: ``PushError`` with the code `unsupportedRecord` if a newer version wrote the content,
    ///   `malformed` if it isn't right.
    public func importPreview(of content: Secret) throws(PushError) -> [Enrollment] {
        try ExportContent(reading: content).entries.map { entry in
            let mover = try? core.provider(entry.enrollment.id.provider).mover
            let made = try? mover?.credential(
                from: entry.content, for: entry.enrollment, known: nil)
            return made?.enrollment ?? entry.enrollment
        }
    }

    /// Tells of enrollments that a vendor's importer has made beside this authenticator, such as from the
    /// store of the vendor's own SDK: subscribers hear of them, and vendors of the device token.
    ///
    /// - Throws: ``PushError`` with the code `malformed` or `storage` if a record can't be read. An
    ///   enrollment that isn't there is left out.
    public func enrollmentsImported(_ ids: [Enrollment.ID]) async throws(PushError) {
        for id in ids {
            if let enrollment = try await servers.enrollment(id) { await adopt(enrollment) }
        }
    }

    private func adopt(_ enrollment: Enrollment) async {
        await servers.note(enrollment)
        await servers.noteList(of: enrollment.id, isRefused: false)
        await core.publish(.enrollment(enrollment))
        await turns.checkDeviceToken(of: enrollment)
    }

    private func chosen(_ ids: [Enrollment.ID]?) async throws(PushError) -> [Enrollment.ID] {
        if let ids { return ids }
        return try await enrollmentIDs().sorted {
            ($0.provider.rawValue, $0.name) < ($1.provider.rawValue, $1.name)
        }
    }

    private var departures: Departures {
        Departures(core: core, challenges: challenges, turns: turns)
    }
}
