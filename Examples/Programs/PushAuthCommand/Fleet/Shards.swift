import Crypto
import Foundation

/// Which process of a fleet asks for which devices: 256 shards, by the first byte of a device's identifier,
/// which is random.
///
/// Each process finds the owner of a shard by itself, as the one whose hash with the shard is highest
/// (rendezvous hashing). When one comes or goes, only its shards change hands. Two that see different
/// members may ask for the same device for a while, which does no harm.
enum Shards {
    static let all = UInt8.min...UInt8.max

    /// The shards of a process.
    ///
    /// - Parameters:
    ///   - instance: The process, one of the members.
    ///   - members: The processes that live.
    /// - Returns: Its shards, in order.
    static func owned(by instance: String, among members: [String]) -> [UInt8] {
        all.filter { shard in
            let rank = rank(of: instance, for: shard)
            return members.allSatisfy { other in
                other == instance
                    || !rank.lexicographicallyPrecedes(self.rank(of: other, for: shard))
            }
        }
    }

    private static func rank(of instance: String, for shard: UInt8) -> [UInt8] {
        Array(SHA256.hash(data: [shard] + Array(instance.utf8)))
    }
}

extension FleetDevice.ID {
    /// Which shard it is in.
    var shard: UInt8 { bytes.first ?? 0 }
}
