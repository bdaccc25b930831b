extension RecordKey {
    /// Whether a collection belongs to all devices that one store holds, whatever their scopes.
    package static func isWholeStores(_ collection: String) -> Bool {
        collection == SharedPause.collection
    }

    /// Whether a collection holds the records of all scopes, each scope before its names.
    package static func hasScopesInNames(_ collection: String) -> Bool {
        collection == UnfinishedEntry.collection
    }
}
