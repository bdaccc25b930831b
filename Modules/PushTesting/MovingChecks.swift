import PushCore

/// What may leave a device, and what it is worth on another one.
enum MovingCheck: VendorCheck {
    static let topic = "moving to another device"

    static func run(
        _ vendor: MakeVendor, _ findings: inout Findings
    ) async throws(PushError) {
        let fixtures = try await vendor()
        let (phone, id) = try await CheckedPhone.enrolled(at: fixtures)
        let export = try await phone.authenticator.export([id])
        let other = try await CheckedPhone(fixtures)
        let imported = try await other.authenticator.importEnrollments(from: export.content)
        switch export.entries.first?.result {
        case .notExportable(let reason):
            findings.expect(!reason.isEmpty, "what isn't exportable doesn't say why")
            findings.expect(imported.isEmpty, "what isn't exportable is in an export")
            try await EnrollmentCheck.checkUse(
                phone, &findings, after: " that stayed on its device")
        case .copied, .moved:
            try await checkArrival(imported, export, other, &findings)
        case .failed(let error):
            findings.note("an enrollment can't be exported: \(error.code)")
        case nil: findings.note("an enrollment is left out of an export without a word")
        }
    }

    private static func checkArrival(
        _ imported: [ImportedEnrollment], _ export: EnrollmentExport, _ other: CheckedPhone,
        _ findings: inout Findings
    ) async throws(PushError) {
        guard case .taken? = imported.first?.result else {
            findings.note("what was exported isn't taken on another device")
            return
        }
        let again = try await other.authenticator.importEnrollments(from: export.content)
        if case .known? = again.first?.result {
        } else {
            findings.note("a second import of the same isn't known")
        }
        // Its vendor hears where pushes go now.
        try await other.authenticator.resume()
        try await EnrollmentCheck.checkUse(other, &findings, after: " on another device")
        try await other.searchForSecrets(&findings)
    }
}
