/// The version of the programs of this repository.
public enum Version {
    /// That of the newest release in `CHANGELOG.md`; with `-dev`, of the one that is being made.
    public static let text = "0.1.0-dev"
}
