import PushEtcd
import Receiving

// An app of a fleet has this store beside its providers; making one needs a server.
try await receive { _ in
    print(EtcdStore.self)
    return []
}
