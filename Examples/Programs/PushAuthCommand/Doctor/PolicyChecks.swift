/// Whether a policy can be used, and which of its rules say yes to more than they name.
struct PolicyChecks {
    let path: String
    let providers: [String]

    func look(_ report: (DoctorCheck) -> Void) {
        do throws(Failure) {
            let rules = try Policy.read(path, providers: providers).rules
            report(.ok("policy", "\(path): \(rules.count) rule\(rules.count == 1 ? "" : "s")."))
            for rule in rules where rule.approvesUnnamed {
                report(
                    .warning(
                        "policy",
                        "\(path): '\(rule.name)' approves by 'field', whatever else is shown.",
                        "Give it 'only = true', so that no other field passes unseen."))
            }
        } catch {
            report(.problem("policy", error.text, error.advice ?? "Correct \(path)."))
        }
    }
}
