import PushCore

/// A push as it came in.
struct IncomingPush: Sendable {
    let message: PushMessage

    /// The intake's name.
    let intake: String

    /// The device of a fleet that its token names; `nil` where there is one device.
    var device: FleetDevice.ID?

    /// Why nobody wants it any more, if so.
    var drop: PushDrop?
}

/// Why a push service drops a push that it accepted.
enum PushDrop: String, Sendable {
    /// Its sender's time for it was over before it was taken.
    case expired
    /// A newer one with the same collapse identifier took its place.
    case replaced
    /// It was for a topic, and this device follows none.
    case unsubscribed
}
