import PushAuthFuzzing
import PushCore

/// Feeds the reader of records: what it takes, it seals and takes again, unchanged.
@main
enum FuzzSecretRecord {
    static func main() {
        fuzz { bytes in
            guard let record = try? Secret.Record(reading: Secret(bytes)) else { return }
            guard let again = try? Secret.Record(reading: record.sealed) else {
                return expect(false, "it reads what it sealed")
            }
            expect(again.fields == record.fields, "the fields stay")
            expect(again.secrets.count == record.secrets.count, "no secret is lost")
            for (one, other) in zip(record.secrets, again.secrets) {
                expect(one.isEqualInConstantTime(to: other), "the secrets stay")
            }
        }
    }
}
