import Records
import Testing

/// Whether a PostgreSQL is another machine is judged as libpq connects.
@Suite struct TargetTests {
    private func exposure(_ url: String) -> String? { StoreLocation(url: url, data: "data").exposure }

    @Test(arguments: [
        "postgresql:///db?host=/run/postgresql", "postgresql://u:p@%2Frun%2Fpostgresql/db",
        "postgresql://u:p@localhost/db",
        "postgresql://u:p@127.0.0.1,[::1]/db", "postgresql://db.example/db?hostaddr=127.0.0.1", "sqlite:///srv/r.db",
        "none",
        "postgresql://db.example/db?sslmode=require",
        "postgresql://db.example/db?hostaddr=10.0.0.1&sslmode=verify-full",
        "postgresql:///db?service=x&sslmode=verify-ca",
    ])
    func thisMachineAndTLSAreGood(_ url: String) { #expect(exposure(url) == nil) }

    @Test(arguments: [
        ("postgresql://u:p@db.example/db", "db.example"),
        ("postgresql://u:p@127.0.0.1/db?hostaddr=10.0.0.1", "10.0.0.1"),
        ("postgresql://u:p@/db?host=/run/postgresql,10.0.0.1", "10.0.0.1"),
        ("postgresql://u:p@%2Frun,10.0.0.1/db", "10.0.0.1"),
        ("postgresql://u:p@localhost:1,db.example:5432/db", "db.example"),
        ("postgresql:///db?ho%73t=db.example", "db.example"),
        ("postgresql:///db?host=127.0.0.1&host=db.example", "db.example"), ("postgresql:///db?service=x", "service x"),
        ("postgresql://a,b/db?hostaddr=127.0.0.1,", "b"), ("postgresql://0127.0.0.1/db", "0127.0.0.1"),
        ("postgresql://127.0.0.01/db", "127.0.0.01"), ("postgresql://127.1/db", "127.1"),
        ("postgresql://2130706433/db", "2130706433"), ("postgresql://localhost./db", "localhost."),
        ("postgresql://[::ffff:127.0.0.1]/db", "::ffff:127.0.0.1"),
        ("postgresql://db.example/db?sslmode=require&sslmode=disable", "sslmode=disable"),
        ("postgresql://db.example/db?sslmode=prefer", "sslmode=prefer"),
    ])
    func anotherMachineWithoutTLSIsSaid(_ url: String, _ named: String) {
        #expect(exposure(url)?.contains(named) == true)
        #expect(exposure(url)?.contains("sslmode=verify-full") == true)
    }
}
