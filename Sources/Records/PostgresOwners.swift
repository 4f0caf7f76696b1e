/// Whose the records in a PostgreSQL are. Another role of the same database may have been first to make what this program
/// expects, in a schema in which both may: a table, whose owner then reads all that is recorded; or what runs with the rights
/// of the hub's role, as a trigger, a rule, an operator, or a function with the name of one of PostgreSQL's own. Blocks; for
/// one thread.
enum PostgresOwners {
    /// The schema in which the records are by the session's search_path, or in which they would be made. Only names and
    /// operators of PostgreSQL itself: the path may have others.
    private static let place = """
        SELECT COALESCE((SELECT n.nspname FROM pg_catalog.pg_class c \
        JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace \
        WHERE c.oid OPERATOR(pg_catalog.=) pg_catalog.to_regclass('schema_versions')), pg_catalog.current_schema())
        """

    /// Superusers and the owner of the database can do everything anyhow, so they are no others. A role of which the hub's is a
    /// member is one: it has other members. The schema `public` comes with the database, and an extension's functions with it.
    ///
    /// One row for the first thing of another: what it is, whose (null: of rules nobody knows), and what ends that.
    private static let foreign = """
        WITH trusted AS (
            SELECT r.oid FROM pg_roles r WHERE r.rolname = current_user OR r.rolsuper
                OR r.oid = (SELECT d.datdba FROM pg_database d WHERE d.datname = current_database())
        ), place AS (
            SELECT n.oid, n.nspname, n.nspowner, quote_ident(n.nspname) || '.' AS prefix FROM pg_namespace n
            WHERE n.nspname = CAST($1 AS TEXT)
        ), used AS (
            SELECT c.oid, p.prefix || quote_ident(c.relname) AS name, c.relowner, c.relkind
            FROM pg_class c JOIN place p ON c.relnamespace = p.oid
            WHERE c.relname = ANY (string_to_array(CAST($2 AS TEXT), ' '))
        ), shipped AS (
            SELECT d.classid, d.objid FROM pg_depend d WHERE d.deptype = 'e'
        ), found AS (
            SELECT 1 AS rank, 'the schema ' || quote_ident(p.nspname) AS what, p.nspowner AS owner,
                'ALTER SCHEMA ' || quote_ident(p.nspname) || ' OWNER TO ' || quote_ident(current_user) AS remedy
            FROM place p WHERE p.nspname <> 'public'
            UNION ALL SELECT 2, CASE u.relkind WHEN 'v' THEN 'the view ' ELSE 'the table ' END || u.name, u.relowner,
                'ALTER TABLE ' || u.name || ' OWNER TO ' || quote_ident(current_user) FROM used u
            UNION ALL SELECT 3, 'the rule ' || quote_ident(r.rulename) || ' on ' || u.name, CAST(0 AS OID),
                'DROP RULE ' || quote_ident(r.rulename) || ' ON ' || u.name
            FROM pg_rewrite r JOIN used u ON r.ev_class = u.oid WHERE r.rulename <> '_RETURN'
            UNION ALL SELECT 4, 'the trigger ' || quote_ident(t.tgname) || ' on ' || u.name, f.proowner,
                'DROP TRIGGER ' || quote_ident(t.tgname) || ' ON ' || u.name
            FROM pg_trigger t JOIN used u ON t.tgrelid = u.oid JOIN pg_proc f ON f.oid = t.tgfoid WHERE NOT t.tgisinternal
            UNION ALL SELECT 5, 'the function ' || p.prefix || quote_ident(f.proname), f.proowner,
                'DROP FUNCTION ' || p.prefix || quote_ident(f.proname) || '(' || pg_get_function_identity_arguments(f.oid) || ')'
            FROM pg_proc f JOIN place p ON f.pronamespace = p.oid
            WHERE EXISTS (SELECT 1 FROM pg_proc b WHERE b.proname = f.proname AND b.pronamespace <> f.pronamespace
                AND b.pronamespace = (SELECT n.oid FROM pg_namespace n WHERE n.nspname = 'pg_catalog'))
                AND NOT EXISTS (SELECT 1 FROM shipped s WHERE s.objid = f.oid AND s.classid = CAST('pg_proc' AS REGCLASS))
            UNION ALL SELECT 6, 'the operator ' || p.prefix || o.oprname, o.oprowner,
                'DROP OPERATOR ' || p.prefix || o.oprname || ' (' || CASE o.oprleft WHEN 0 THEN 'NONE' ELSE format_type(o.oprleft, NULL) END || ', '
                    || format_type(o.oprright, NULL) || ')'
            FROM pg_operator o JOIN place p ON o.oprnamespace = p.oid
            WHERE NOT EXISTS (SELECT 1 FROM shipped s WHERE s.objid = o.oid AND s.classid = CAST('pg_operator' AS REGCLASS))
        )
        SELECT f.what, a.rolname, f.remedy FROM found f LEFT JOIN pg_roles a ON a.oid = f.owner
        WHERE f.owner NOT IN (SELECT t.oid FROM trusted t) ORDER BY f.rank, f.what LIMIT 1
        """

    /// Its name; nil: the search_path has none that is there.
    static func schema(_ database: any Database) throws(DatabaseFailure) -> String? {
        try database.rows(Statement(place)).first?.first?.text
    }

    /// Fails with `.unfit` where anything of the records is another role's. Leaves the session with this schema alone in its
    /// search_path; while it looks, only PostgreSQL's own is in it, so that nothing of others runs.
    static func check(_ database: any Database, schema: String) throws(DatabaseFailure) {
        try database.script("SET search_path = pg_catalog, pg_temp")
        let names = Migrations.names.joined(separator: " ")
        let found = try database.rows(Statement(foreign, [.text(schema), .text(names)])).first
        if let found { throw DatabaseFailure(.unfit, said(found)) }
        _ = try database.rows(
            Statement(
                "SELECT set_config('search_path', quote_ident(CAST($1 AS TEXT)) || ', pg_temp', false)",
                [.text(schema)]))
    }

    private static func said(_ row: [SQLValue]) -> String {
        let (what, remedy) = (row[0].text ?? "", row[2].text ?? "")
        let whose = row[1].text.map { "belongs to the role \($0), which the hub does not run as" } ?? "is not the hub's"
        return """
            \(what) in the PostgreSQL database \(whose): whoever made it could read or change what is recorded. If it is not meant to be there, \
            find out who made it, or give the hub another database in store.url, of its own; where it is all right, run "\(remedy)"
            """
    }
}
