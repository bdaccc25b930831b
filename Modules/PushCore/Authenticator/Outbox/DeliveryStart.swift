/// What is at hand of a decision before it is delivered, where reading it again would be a trip. If it is
/// old, compare-and-set finds out.
struct DeliveryStart: Sendable {
    /// Its row.
    let row: AnnouncedRow

    /// Its enrollment's credential, if it was read for another decision just before.
    let credential: Locked<KnownRecord?>
}
