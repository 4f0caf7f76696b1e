/// One connection to a relational database. Every call blocks until it is done: never on the loop of a worker. For one thread.
public protocol Database: AnyObject {
    /// Runs one statement and answers its rows.
    func rows(_ statement: Statement) throws(DatabaseFailure) -> [[SQLValue]]
    /// The same for somebody who pays for it: what a server works for it is added to `serverNs`.
    func read(_ statement: Statement) throws(DatabaseFailure) -> [[SQLValue]]
    /// For how long a server has worked for such readings, ns by its own clock: the way there and back takes none of it. 0 where the calling thread
    /// works itself.
    var serverNs: UInt64 { get }
    /// Runs many, in their order, within the transaction that has been begun.
    func run(_ statements: [Statement]) throws(DatabaseFailure)
    /// Runs a script of several statements, without values.
    func script(_ sql: String) throws(DatabaseFailure)
    /// Whether this connection is now the only one that holds this name, until it is closed.
    func lock(_ name: String) throws(DatabaseFailure) -> Bool
    /// The statement that begins a transaction which writes.
    var begin: String { get }
    /// Keeps others from migrating at the same time, until the transaction ends; nil: `begin` does.
    var migrationLock: String? { get }
    /// The statement that lets what follows in a transaction take as long as it takes; nil: nothing hurries it.
    var unhurried: String? { get }
    /// The statement that asks for the table of versions, if it is there.
    var versionsTable: String { get }
    /// Fails with `.unfit` where another user of a server has made some of what records are in, and names it.
    func checkOwners() throws(DatabaseFailure)
    /// What stands behind FROM where rows of a table are to be found by this index.
    func table(_ name: String, by index: String) -> String
    /// Gives back the room of what was written and has come to its place since, if that is much. Waits for those who read, some seconds at
    /// most.
    func shorten() throws(DatabaseFailure)
    /// Whether nothing can be asked of it any more.
    var isLost: Bool { get }
    /// Gives back all it has. Called once, at the end.
    func close()
}

extension Database {
    public func read(_ statement: Statement) throws(DatabaseFailure) -> [[SQLValue]] { try rows(statement) }
    public var serverNs: UInt64 { 0 }
    public func checkOwners() {}

    /// All or nothing. When it throws, nothing has changed, unless the answer to the last word was lost.
    public func transaction<Result>(
        _ body: () throws(DatabaseFailure) -> Result
    ) throws(DatabaseFailure) -> Result {
        try script(begin)
        do throws(DatabaseFailure) {
            let result = try body()
            try script("COMMIT")
            return result
        } catch {
            // A full disk may have ended it already; then there is nothing to roll back.
            try? script("ROLLBACK")
            throw error
        }
    }
}
