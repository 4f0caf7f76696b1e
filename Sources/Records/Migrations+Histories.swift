// What an office asks of the past: see ``RecordQuery``. And the figures of it, which are views: they say what the rows say, always.
extension Migrations {
    /// Whoever had been removed before left more than its id and company; it goes.
    ///
    /// `at` of a reservation: when the taxi is to be there. What became of the trip is in the row of its `ride`.
    ///
    /// `hour` of a view: the Unix ms at which the hour of the request begins. Sums of ms stand beside how many they are of, so that they can be
    /// added up further.
    static let histories = """
        CREATE TABLE reservations (
            city TEXT NOT NULL,
            id TEXT NOT NULL,
            event BIGINT NOT NULL,
            passenger TEXT,
            zone TEXT,
            passengers BIGINT,
            from_lat DOUBLE PRECISION,
            from_lon DOUBLE PRECISION,
            to_lat DOUBLE PRECISION,
            to_lon DOUBLE PRECISION,
            payment TEXT,
            at BIGINT,
            made_at BIGINT,
            searching_at BIGINT,
            assigned_at BIGINT,
            driver TEXT,
            ride TEXT,
            ended_at BIGINT,
            outcome TEXT,
            ended_by TEXT,
            reason TEXT,
            PRIMARY KEY (city, id)
        );
        CREATE INDEX reservations_by_time ON reservations (city, at, id);
        CREATE INDEX reservations_by_passenger ON reservations (city, passenger, at);
        CREATE INDEX reservations_by_driver ON reservations (city, driver, at);
        CREATE INDEX reservations_by_zone ON reservations (city, zone, at);
        CREATE INDEX trips_by_zone ON trips (city, zone, requested_at);
        CREATE INDEX bookings_by_driver ON bookings (city, driver, requested_at);
        CREATE INDEX bookings_by_passenger ON bookings (city, passenger, requested_at);
        CREATE INDEX stop_requests_by_line ON stop_requests (city, line, requested_at);
        CREATE INDEX stop_requests_by_citizen ON stop_requests (city, citizen, requested_at);
        CREATE INDEX tours_by_line ON tours (city, line, started_at);
        CREATE INDEX tours_by_driver ON tours (city, driver, started_at);
        UPDATE drivers SET licence_until = NULL, medical_until = NULL, vehicle = NULL, capabilities = NULL
            WHERE removed_at IS NOT NULL;
        CREATE VIEW taxi_figures AS SELECT city, zone, requested_at / 3600000 * 3600000 AS hour,
            COUNT(*) AS requests,
            COUNT(accepted_at) AS accepted,
            COUNT(CASE WHEN outcome = 'ended' THEN 1 END) AS ended,
            COUNT(CASE WHEN outcome = 'noshow' THEN 1 END) AS noshows,
            COUNT(CASE WHEN outcome = 'cancelled' THEN 1 END) AS cancelled,
            COUNT(CASE WHEN outcome = 'failed' THEN 1 END) AS failed,
            CAST(COALESCE(SUM(accepted_at - requested_at), 0) AS BIGINT) AS accept_ms,
            COUNT(arrived_at - accepted_at) AS arrived,
            CAST(COALESCE(SUM(arrived_at - accepted_at), 0) AS BIGINT) AS arrive_ms
            FROM trips WHERE requested_at IS NOT NULL AND zone IS NOT NULL AND outcome IS NOT NULL GROUP BY 1, 2, 3;
        CREATE VIEW seat_figures AS SELECT city, route, requested_at / 3600000 * 3600000 AS hour,
            COUNT(*) AS bookings,
            CAST(COALESCE(SUM(passengers), 0) AS BIGINT) AS passengers,
            COUNT(confirmed_at) AS confirmed,
            COUNT(CASE WHEN outcome = 'ended' THEN 1 END) AS ended,
            COUNT(CASE WHEN outcome = 'declined' THEN 1 END) AS declined,
            COUNT(CASE WHEN outcome = 'cancelled' THEN 1 END) AS cancelled,
            COUNT(arrived_at - confirmed_at) AS arrived,
            CAST(COALESCE(SUM(arrived_at - confirmed_at), 0) AS BIGINT) AS arrive_ms
            FROM bookings WHERE requested_at IS NOT NULL AND outcome IS NOT NULL GROUP BY 1, 2, 3;
        CREATE VIEW stop_figures AS SELECT city, line, requested_at / 3600000 * 3600000 AS hour,
            COUNT(*) AS requests,
            COUNT(accepted_at) AS accepted,
            COUNT(arrived_at) AS arrived,
            COUNT(CASE WHEN outcome = 'completed' THEN 1 END) AS completed,
            COUNT(CASE WHEN outcome = 'cancelled' THEN 1 END) AS cancelled
            FROM stop_requests WHERE requested_at IS NOT NULL AND outcome IS NOT NULL GROUP BY 1, 2, 3;
        CREATE VIEW line_figures AS SELECT city, line, stop, passed_at / 3600000 * 3600000 AS hour,
            COUNT(*) AS passages,
            COUNT(delay_s) AS timed,
            COALESCE(SUM(delay_s), 0) AS delay_s
            FROM passages WHERE passed_at IS NOT NULL GROUP BY 1, 2, 3, 4;
        """
}
