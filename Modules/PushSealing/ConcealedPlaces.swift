import PushCore
import PushPlatform

/// The places that were concealed lately: those of two halves, of which the older one goes as a whole.
struct ConcealedPlaces {
    private static let half = 512

    /// What they are concealed with.
    let names: StoreKeys
    private var newer: [RecordKey: RecordKey] = [:]
    private var older: [RecordKey: RecordKey] = [:]

    init(names: StoreKeys) { self.names = names }

    mutating func place(of key: RecordKey) -> RecordKey? {
        if let place = newer[key] { return place }
        guard let place = older[key] else { return nil }
        keep(place, of: key)
        return place
    }

    mutating func keep(_ place: RecordKey, of key: RecordKey) {
        if newer.count >= Self.half { (older, newer) = (newer, [:]) }
        newer[key] = place
    }
}
