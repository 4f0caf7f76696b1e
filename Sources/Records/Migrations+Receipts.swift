// What is recorded besides what everybody who follows the events is told.
extension Migrations {
    /// What receipts, reports and alarms say, and people's words on trips. `local_time`: when a trip ended, on the city's clock; `fare_parts`: a JSON
    /// array of what a receipt has; `estimate` is in hundredths of the currency.
    ///
    /// A page of reservations of one taxi, passenger or zone is read from where it begins: SQLite reads all of the city's where the index is not
    /// in the whole order of the page.
    static let receipts = """
        DROP INDEX reservations_by_passenger;
        DROP INDEX reservations_by_driver;
        DROP INDEX reservations_by_zone;
        CREATE INDEX reservations_by_passenger ON reservations (city, passenger, at, id);
        CREATE INDEX reservations_by_driver ON reservations (city, driver, at, id);
        CREATE INDEX reservations_by_zone ON reservations (city, zone, at, id);
        ALTER TABLE trips ADD COLUMN local_time TEXT;
        ALTER TABLE trips ADD COLUMN to_zone TEXT;
        ALTER TABLE trips ADD COLUMN distance_m DOUBLE PRECISION;
        ALTER TABLE trips ADD COLUMN fare_parts TEXT;
        ALTER TABLE trips ADD COLUMN estimate BIGINT;
        ALTER TABLE trips ADD COLUMN plate TEXT;
        ALTER TABLE trips ADD COLUMN driver_name TEXT;
        ALTER TABLE trips ADD COLUMN company TEXT;
        ALTER TABLE trips ADD COLUMN payment_reference TEXT;
        ALTER TABLE trips ADD COLUMN comment_on_driver TEXT;
        ALTER TABLE trips ADD COLUMN comment_on_passenger TEXT;
        ALTER TABLE bookings ADD COLUMN local_time TEXT;
        ALTER TABLE bookings ADD COLUMN to_zone TEXT;
        ALTER TABLE bookings ADD COLUMN distance_m DOUBLE PRECISION;
        ALTER TABLE bookings ADD COLUMN fare_parts TEXT;
        ALTER TABLE bookings ADD COLUMN estimate BIGINT;
        ALTER TABLE bookings ADD COLUMN plate TEXT;
        ALTER TABLE bookings ADD COLUMN driver_name TEXT;
        ALTER TABLE bookings ADD COLUMN company TEXT;
        ALTER TABLE bookings ADD COLUMN payment_reference TEXT;
        ALTER TABLE bookings ADD COLUMN comment_on_driver TEXT;
        ALTER TABLE bookings ADD COLUMN comment_on_passenger TEXT;
        ALTER TABLE bookings ADD COLUMN zone TEXT;
        CREATE INDEX bookings_by_zone ON bookings (city, zone, requested_at);
        CREATE INDEX stop_requests_by_tour ON stop_requests (city, tour, requested_at);
        ALTER TABLE alarms ADD COLUMN text TEXT;
        ALTER TABLE alarms ADD COLUMN lat DOUBLE PRECISION;
        ALTER TABLE alarms ADD COLUMN lon DOUBLE PRECISION;
        ALTER TABLE alarms ADD COLUMN acknowledged_note TEXT;
        ALTER TABLE alarms ADD COLUMN closed_note TEXT;
        ALTER TABLE reports ADD COLUMN text TEXT;
        ALTER TABLE reports ADD COLUMN role TEXT;
        ALTER TABLE reports ADD COLUMN subject TEXT;
        ALTER TABLE reports ADD COLUMN ride TEXT;
        ALTER TABLE reports ADD COLUMN vehicle TEXT;
        ALTER TABLE reports ADD COLUMN closed_note TEXT;
        CREATE INDEX alarms_by_time ON alarms (city, raised_at, id);
        CREATE INDEX reports_by_time ON reports (city, sent_at, id);
        """
}
