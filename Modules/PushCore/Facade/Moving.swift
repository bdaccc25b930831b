/// How enrollments move between devices.
extension PushAuthenticator {
    /// Exports enrollments, for a file that another device imports.
    ///
    /// An enrollment that moves is marked in the store first, and its open challenges are closed.
    /// Until it is imported here again, this device answers nothing for it and shows no code
    /// (``Enrollment/State/movedAway``, ``PushError/Code/movedAway``). The challenges that the user
    /// answered go along, so that a late copy of a push asks nobody there. An enrollment that was
    /// moved before is given again, in case its file was never written; so don't write a file again
    /// that another device has taken. An enrollment that isn't exportable works here as before.
    ///
    /// Ask the user first: whoever has the content can answer in the user's name.
    ///
    /// - Parameter ids: The enrollments; `nil` for all. An unknown one is left out.
    /// - Returns: What leaves, and what became of each enrollment.
    /// - Throws: ``PushError`` with the code `storage` if the enrollments can't be listed. An error
    ///   of one enrollment is its own result (``EnrollmentExport/Result/failed(_:)``).
    public func export(
        _ ids: [Enrollment.ID]? = nil
    ) async throws(PushError) -> EnrollmentExport {
        await exports.export(try await chosen(ids))
    }

    /// What ``export(_:)`` would do, for asking the user. Nothing changes.
    ///
    /// - Parameter ids: The enrollments; `nil` for all.
    /// - Returns: What would become of each.
    /// - Throws: ``PushError`` with the code `storage` if the enrollments can't be listed.
    public func exportPreview(
        _ ids: [Enrollment.ID]? = nil
    ) async throws(PushError) -> [EnrollmentExport.Entry] {
        await exports.preview(try await chosen(ids))
    }

    /// Imports the enrollments that left another device, or this one.
    ///
    /// Vendors are told this device's token in the background, as after an enrollment; nothing else
    /// is sent. The next import completes one that was broken off; a second import changes nothing.
    ///
    /// - Parameter content: ``EnrollmentExport/content``, opened again.
    /// - Returns: What became of each enrollment. One that can't be taken leaves the store as it
    ///   was.
    /// - Throws: ``PushError`` with the code `unsupportedRecord` if a newer version wrote the
    ///   content, `malformed` if it isn't right; nothing was taken then.
    public func importEnrollments(
        from content: Secret
    ) async throws(PushError) -> [ImportedEnrollment] {
        let imported = await Imports(core: core, turns: turns)
            .take(try ExportContent(reading: content))
        for case .taken(let enrollment) in imported.map(\.result) {
            await adopt(enrollment)
        }
        return imported
    }

    /// The enrollments of an export, for asking the user before ``importEnrollments(from:)``:
    /// whoever made the content chose the hosts that get answers and device tokens. Nothing
    /// changes.
    ///
    /// - Parameter content: ``EnrollmentExport/content``, opened again.
    /// - Returns: Each as its plugin would make it. If that plugin isn't linked or can't read it,
    ///   as the content has it; the import won't take it.
    /// - Throws: ``PushError`` with the code `unsupportedRecord` if a newer version wrote the
    ///   content, `malformed` if it isn't right.
    public func importPreview(of content: Secret) throws(PushError) -> [Enrollment] {
        try ExportContent(reading: content).entries.map { entry in
            let exporter = try? core.provider(entry.enrollment.id.provider).exporter
            let made = try? exporter?.credential(
                from: entry.content, for: entry.enrollment, known: nil)
            return made?.enrollment ?? entry.enrollment
        }
    }

    /// Tells subscribers of enrollments that a vendor's importer has made beside this
    /// authenticator, such as from the store of the vendor's own SDK, and their vendors of the
    /// device token.
    ///
    /// - Parameter ids: The enrollments. An unknown one is left out.
    /// - Throws: ``PushError`` with the code `malformed` or `storage` if a record can't be read.
    public func enrollmentsImported(_ ids: [Enrollment.ID]) async throws(PushError) {
        for id in ids {
            if let enrollment = try await servers.enrollment(id) { await adopt(enrollment) }
        }
    }

    private func adopt(_ enrollment: Enrollment) async {
        await servers.note(enrollment)
        await servers.noteList(of: enrollment.id, isRefused: false)
        await core.publish(.enrollment(enrollment))
        if let hand = try? await core.documents.read(enrollment.id) {
            await turns.checkDeviceToken(of: hand)
        }
    }

    private func chosen(_ ids: [Enrollment.ID]?) async throws(PushError) -> [Enrollment.ID] {
        if let ids { return ids }
        return try await enrollmentIDs().inOrder(by: \.name).inOrder(by: \.provider.rawValue)
    }

    private var exports: Exports {
        Exports(core: core, turns: turns)
    }
}
