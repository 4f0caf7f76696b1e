"""GTFS feeds of the tests' own making."""

import io
import zipfile

#: A line with two stops, one trip each way on working days, and a shuttle by headway at weekends.
FILES = {
    "agency.txt": "agency_id,agency_name,agency_url,agency_timezone\nA,Bürgerbus,https://example.org,Europe/Berlin\n",
    "stops.txt": (
        "stop_id,stop_name,stop_lat,stop_lon\n"
        "s1,Rathaus,51.962000,7.628000\n"
        's2,"Markt, Mitte",51.965000,7.633000\n'
        "s3,Bahnhof,51.971000,7.646000\n"
    ),
    "routes.txt": (
        "route_id,agency_id,route_short_name,route_long_name,route_type,route_color\n"
        "L1,A,1,Dorfrunde,3,00A070\n"
        "L2,A,2,Pendelbus,3,\n"
    ),
    "calendar.txt": (
        "service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date\n"
        "work,1,1,1,1,1,0,0,20260101,20991231\n"
        "end,0,0,0,0,0,1,1,20260101,20991231\n"
    ),
    "calendar_dates.txt": "service_id,date,exception_type\nwork,20261224,2\nend,20261224,1\n",
    "trips.txt": (
        "route_id,service_id,trip_id,trip_headsign,direction_id\n"
        "L1,work,t1,Bahnhof,0\nL1,work,t2,Rathaus,1\nL2,end,t3,Bahnhof,0\n"
    ),
    "stop_times.txt": (
        "trip_id,arrival_time,departure_time,stop_id,stop_sequence\n"
        "t1,08:00:00,08:00:00,s1,1\nt1,,,s2,2\nt1,08:20:00,08:20:00,s3,3\n"
        "t2,23:50:00,23:50:00,s3,1\nt2,24:00:00,24:01:00,s2,2\nt2,24:10:00,24:10:00,s1,3\n"
        "t3,00:00:00,00:00:00,s1,1\nt3,00:15:00,00:15:00,s3,2\n"
    ),
    "frequencies.txt": "trip_id,start_time,end_time,headway_secs,exact_times\nt3,10:00:00,12:00:00,1800,1\n",
}


def feed(**changes):
    """The bytes of a zip; `stops_txt="…"` puts another file in its place, None leaves it out."""
    files = FILES | {name.replace("_txt", ".txt"): text for name, text in changes.items()}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            if text is not None:
                archive.writestr(name, text)
    return buffer.getvalue()
