"""Another role of the same PostgreSQL that makes a table before the hub does reads nothing that is recorded."""

from kerbside.hub import run


def test_a_hub_does_not_start_with_a_table_of_another_role_and_says_which_and_whose(new_hub, postgres):
    postgres.sql("CREATE USER mallory; GRANT CREATE ON SCHEMA public TO mallory")
    postgres.sql("SET SESSION AUTHORIZATION mallory; CREATE TABLE drivers (city TEXT, id TEXT, name TEXT)")
    hub = new_hub(blocks=2, store__url=postgres.url)
    said = "the table public.drivers in the PostgreSQL database belongs to the role mallory"
    told = run("doctor", "--config", hub.config).stdout.splitlines()
    assert any("UNFIT" in line and said in line for line in told), told
    started = run("serve", "--config", hub.config)
    assert started.returncode != 0 and said in started.stderr and "ALTER TABLE public.drivers OWNER TO" in started.stderr, started
    postgres.sql("DROP TABLE drivers")
    hub.start()


def test_a_hub_does_not_start_with_a_trigger_of_another_role_and_says_how_it_goes(new_hub, postgres):
    postgres.sql("CREATE USER mallory; GRANT CREATE ON SCHEMA public TO mallory")
    postgres.sql("CREATE TABLE trips (city TEXT, id TEXT); GRANT TRIGGER ON trips TO mallory")
    spy = "CREATE FUNCTION spy() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'"
    trigger = "CREATE TRIGGER spies BEFORE INSERT ON trips FOR EACH ROW EXECUTE FUNCTION spy()"
    postgres.sql(f"SET SESSION AUTHORIZATION mallory; {spy}; {trigger}")
    hub = new_hub(blocks=2, store__url=postgres.url)
    started = run("serve", "--config", hub.config)
    assert started.returncode != 0 and "the trigger spies on public.trips" in started.stderr, started.stderr
    assert "DROP TRIGGER spies ON public.trips" in started.stderr, started.stderr
