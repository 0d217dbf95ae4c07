/// What people read when another server of the cluster can't answer.
enum ClusterWords {
    static let unavailable = "Your data is moving to another server"
    static let unavailableDetail = "Nothing was saved. Try again in a few seconds."
    static let longBody = "The file is too large"
    static let longBodyDetail = "Nothing was saved. Send a smaller file."
    static let invalidTarget = "The address of the request isn't a path"
    static let another = "Another server holds this data"
    static let anotherDetail = "Reload the page."
}
