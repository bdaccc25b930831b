extension XignInSimulator {
    /// A call of a device.
    @nonexhaustive
    public enum Call: Hashable, Sendable, CaseIterable {
        /// `POST /oxrw/v1/personalizations`
        case personalization
        /// `PUT /oxrw/v1/activations/{activation_id}/push-token`
        case pushToken
        /// `DELETE /oxrw/v1/activations/{activation_id}`
        case removal
        /// `GET /oxrw/v1/activations/{activation_id}/manager-keys`
        case managerKeys
        /// `POST /oxrw/v1/processes/{pid}/initialization`
        case initialization
        /// `POST /oxrw/v1/processes/{pid}/start`
        case start
        /// `POST /oxrw/v1/processes/{pid}/finish`
        case finish
        /// `POST /oxrw/v1/processes/{pid}/reject`
        case reject
    }
}
