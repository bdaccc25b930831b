import PushAuthFuzzing
import PushCore

/// Feeds the strict reader: what it takes, it writes and takes again, unchanged.
@main
enum FuzzJSON {
    static func main() {
        fuzz { bytes in
            guard let value = try? JSON(parsing: bytes) else { return }
            let limits = JSON.Limits(bytes: .max)
            expect(
                (try? JSON(parsing: value.text, limits: limits)) == value, "it reads what it wrote")
        }
    }
}
