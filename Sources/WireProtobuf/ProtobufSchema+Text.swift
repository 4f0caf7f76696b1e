// Written by tools/protobuf-schema from config/contract/kerbside.proto; not to be edited.
extension ProtobufSchema {
    static let text = """
        ClientMessage: id:1:uint64? cmd:2:string key:3:string? lat:4:double? lon:5:double? at:6:uint64?
            heading:7:double? speed:8:double? accuracy:9:double? ride:10:string? passengers:11:uint64?
            destination:12:Point? channel:13:string? token:14:string? resume:15:map radius:16:double?
            filter:17:Filter? max_rate:18:double? since:19:string? taken:20:uint64? route:21:string? type:22:string?
            data:23:bytes? on_behalf_of:24:Caller? bus:50:string? line:51:string? pattern:52:string? trip:53:string?
            tour:54:string? skip:55:bool? booking:30:string? vehicle:31:string? pickup:32:Point? reason:33:string?
            start:34:Point? via:35:Point* end:36:Point? mute:37:string* quiet:38:Quiet? stop:60:string?
            name:61:string? number:62:string? address:63:string? help:64:string* back:65:StopBack? request:66:string?
            all:67:bool? to:70:string? zone:71:string? text:72:string? driver:80:string? role:81:string?
            subject:82:string? until:83:uint64? from:84:string? limit:85:uint64? rank:86:uint64? revoke:87:bool?
            sos:90:string? note:91:string? closed:92:bool? category:93:string? anonymous:94:bool? report:95:string?
            phone:110:string? company:111:string? photo:112:string? licence:113:string? licence_until:114:string?
            medical_until:115:string? capabilities:116:string* ends_by:117:string? plate:118:string?
            registration:119:string? model:120:string? colour:121:string? new_code:122:bool? needs:123:string*
            wait:124:bool? reservation:125:string? payment:126:string? state:127:string? reference:128:string?
            stars:129:uint64? comment:130:string? route_stars:131:uint64? reserved:132:bool? of:150:string?
            passenger:151:string? start_time:152:uint64? end_time:153:uint64? record:154:string? endpoint:140:string?
            keys:141:PushKeys?
        Reply: id:1:uint64 json:2:bytes? hello:3:HelloOk? position:4:PositionOk? driver_available:5:QueuePlace?
            driver_unavailable:6:DriverState? offer_seen:7:Expiry? offer_accept:8:Assignment?
            offer_decline:9:RideOnly? ride_aboard:10:RideOnly? ride_end:11:RideOver? ride_noshow:12:RideOver?
            ride_request:13:RequestOk? ride_cancel:14:RideState? ride_search:22:RideState? ride_share:23:RideShared?
            ride_unshare:24:RideOnly? subscribe:15:SubscribeOk? unsubscribe:16:ChannelOnly? watch:17:WatchOk?
            unwatch:18:ChannelOnly? seats_set:19:SeatsOk? route_set:20:RouteOk? publish:21:SeqOnly?
            tour_start:50:Tour? tour_end:51:TourOver? stop_next:52:Tour? stop_previous:53:Tour?
            seat_book:30:SeatPending? seat_request:38:SeatSearch? seat_accept:31:SeatAssignment?
            seat_decline:32:BookingOnly? seat_cancel:33:BookingState? seat_aboard:34:BookingSeats?
            seat_end:35:SeatsLeft? vehicle_get:36:VehicleView? notify_set:37:NotifyWishes? line_eta:66:LineArrivals?
            stop_request:60:StopReceipt? stop_cancel:61:StopOver? stop_accept:62:StopAnswered?
            stop_decline:63:StopAnswered? stop_complete:64:StopAnswered? stop_noshow:65:StopAnswered?
            broadcast:70:NoticeSent? office_queue:80:OfficeQueue? office_driver:81:OfficeDriver?
            office_ride:82:OfficeRide? office_remove:83:OfficeRemoved? office_cancel:84:OfficeCancelled?
            office_block:85:OfficeBlocked? office_unblock:86:OfficeUnblocked? office_audit:87:OfficeAudit?
            office_put:100:OfficePut? office_offer:101:OfficeRideActed? office_reassign:102:OfficeRideActed?
            office_end:103:OfficeCancelled? office_session_end:104:OfficeSessionEnded? sos:90:OwnAlarm?
            sos_cancel:91:OwnAlarm? sos_list:92:Alarms? sos_acknowledge:93:OfficeActed? sos_close:94:OfficeActed?
            report_send:95:ReportOnly? report_list:96:Reports? report_close:97:OfficeActed? drivers_set:110:DriverSet?
            drivers_get:111:DriverRecord? drivers_list:112:DriverRecords? drivers_remove:113:DriverSet?
            vehicles_set:114:VehicleSet? vehicles_get:115:VehicleRecord? vehicles_list:116:VehicleRecords?
            vehicles_remove:117:VehicleSet? advice_get:140:Advice? reliability_get:141:Reliability?
            reliability_of:142:Reliability? reliability_reset:143:ReliabilityReset? reservation_make:130:Reservation?
            reservation_list:131:Reservations? reservation_cancel:132:ReservationState?
            fare_estimate:150:FareEstimate? payment_report:151:PaymentChange? receipt_get:152:Trip?
            trip_rate:153:TripRating? ratings_get:154:Ratings? trips_list:155:Trips? push_subscribe:160:PushCount?
            push_unsubscribe:161:PushCount? records_list:170:PastRecords?
        Error: id:1:uint64? code:2:string title:3:string detail:4:string retry:5:bool field:6:string?
            retry_after_ms:7:uint64?
        Event: ch:1:string seq:2:string type:3:string time:4:uint64 json:5:bytes? queue_joined:6:QueueChange?
            queue_left:7:QueueLeft? offer_made:8:Offer? offer_withdrawn:9:RideReason? ride_assigned:10:Assignment?
            ride_confirm_aboard:11:RideOnly? ride_cancelled:12:RideCancelled? ride_searching:13:RideSearching?
            ride_accepted:14:RideAccepted? ride_failed:15:RideFailed? ride_near:16:RideClose?
            ride_arrived:17:RideClose? ride_aboard:18:RideAboard? ride_ended:19:RideEnded?
            ride_driver_lost:20:RideDriverLost? ride_driver_back:21:RideDriverBack?
            ride_pickup_moved:22:RidePickupMoved? tour_ended:50:TourEnded? schedule_changed:51:ScheduleChange?
            seat_requested:30:SeatRequest? seat_withdrawn:31:BookingReason? seat_assigned:32:SeatAssignment?
            seat_waiting:33:SeatWaiting? seat_confirm_aboard:34:BookingOnly? seat_aboard:35:SeatAboard?
            seat_ended:36:SeatEnded? seat_cancelled:37:SeatCancelled? seats_changed:38:SeatsChanged?
            seat_pending:39:SeatPending? seat_confirmed:40:SeatConfirmed? seat_declined:41:SeatDeclined?
            seat_near:42:SeatClose? seat_arrived:43:SeatClose? route_changed:44:RouteChanged?
            notify_changed:45:NotifyWishes? seat_driver_lost:46:SeatDriverLost? seat_driver_back:47:SeatDriverBack?
            seat_pickup_moved:48:SeatPickupMoved? seat_searching:49:SeatSearching? seat_failed:52:SeatFailed?
            stop_requested:60:StopNews? stop_unanswered:61:StopNews? stop_withdrawn:62:StopNews?
            stop_list:63:StopNews? stop_pending:64:StopEvent? stop_accepted:65:StopEvent? stop_declined:66:StopEvent?
            stop_expired:67:StopEvent? stop_reminder:68:StopEvent? stop_near:69:StopEvent? stop_arrived:70:StopEvent?
            stop_completed:71:StopEvent? stop_noshow:72:StopEvent? stop_cancelled:73:StopEvent? notice:74:Notice?
            sos_raised:90:Alarm? sos_updated:91:Alarm? sos_acknowledged:92:AlarmActed? sos_closed:93:AlarmActed?
            report_sent:94:ReportSent? caller_told:95:CallerTold? papers_ending:110:PapersEnding?
            advice_wait:140:WaitAdvice? reliability_warned:141:ReliabilityNews?
            reliability_paused:142:ReliabilityNews? reservation_made:130:Reservation?
            reservation_reminder:131:ReservationReminder? reservation_searching:132:ReservationSearching?
            reservation_waiting:133:ReservationWaiting? reservation_assigned:134:ReservationAssigned?
            reservation_failed:135:ReservationFailed? reservation_cancelled:136:ReservationCancelled?
            payment_changed:150:PaymentChange? catalog_changed:160:CatalogChange?
        State: ch:1:string type:2:string time:3:uint64 json:4:bytes? queue_rank:5:QueueChange? ride_eta:6:RideEta?
            bus:40:Tour? tour:41:Tour? seat_eta:30:SeatEta? seat_stops:31:SeatStops? stop_eta:60:StopEtaChange?
        Snapshot: ch:1:string time:2:uint64 json:3:bytes? driver:4:DriverSnapshot? passenger:5:PassengerSnapshot?
            line:40:LineSnapshot?
        Point: lat:1:double? lon:2:double?
        Filter: kind:1:string* state:2:string* seats:3:uint64? route:4:string?
        Caller: name:1:string? number:2:string?
        Quiet: from:1:uint32? to:2:uint32? time_zone:3:string?
        StopBack: stop:1:string? lat:2:double? lon:3:double? at:4:uint64? passengers:5:uint64?
        PushKeys: p256dh:1:string? auth:2:string?
        HelloOk: session:1:string role:2:string subject:3:string city:4:string channels:5:string* heartbeat_s:6:double
            time:7:uint64 seq:8:map
        PositionOk: ignored:1:string?
        QueuePlace: state:1:string zone:2:string? rank:3:uint32? size:4:uint32? seats:5:uint32? capacity:6:uint32?
        DriverState: state:1:string
        Expiry: ride:1:string expires_in_ms:2:uint64 expires_at:3:uint64
        Assignment: ride:1:string pickup:2:Point? passengers:3:uint32 destination:4:Point? contact:5:Contact?
            needs:6:string* payment:7:string?
        RideOnly: ride:1:string
        RideOver: ride:1:string state:2:string zone:3:string? rank:4:uint32? size:5:uint32? reason:6:string?
            receipt:7:string? fare:8:Fare? payment:9:Payment?
        RequestOk: ride:1:string zone:2:string state:3:string until:4:uint64? fare:5:Fare?
        RideState: ride:1:string state:2:string
        RideShared: ride:1:string link:2:string
        SubscribeOk: channel:1:string seq:2:string?
        ChannelOnly: channel:1:string
        WatchOk: channel:1:string cells:2:uint32 replaced:3:bool?
        SeatsOk: seats:1:uint32
        RouteOk: route:1:string? way:2:Way?
        SeqOnly: seq:1:string
        Tour: tour:1:string bus:2:string line:3:string pattern:4:string? trip:5:string? state:6:string position:7:Fix?
            off_route:8:bool seats:9:Seats? next_stop:10:StopPlace? delay_s:11:sint32? etas:12:StopEta*
        TourOver: tour:1:string state:2:string
        SeatPending: booking:1:string vehicle:2:string passengers:3:uint32 fare:4:Fare? state:5:string?
        SeatSearch: booking:1:string passengers:2:uint32 state:3:string until:4:uint64
        SeatAssignment: booking:1:string pickup:2:Point? destination:3:Point? passengers:4:uint32 contact:5:Contact?
            payment:6:string?
        BookingOnly: booking:1:string
        BookingState: booking:1:string state:2:string
        BookingSeats: booking:1:string seats:2:uint32
        SeatsLeft: booking:1:string seats:2:uint32 receipt:3:string? fare:4:Fare? payment:5:Payment?
        VehicleView: vehicle:1:string kind:2:string state:3:string status:4:string seats:5:uint32 capacity:6:uint32
            route:7:string? way:8:Way? position:9:Fix?
        NotifyWishes: mute:1:string* quiet:2:Quiet?
        LineArrivals: line:1:string arrivals:2:Arrival*
        StopReceipt: request:1:string line:2:string state:3:string at:4:uint64 passengers:5:uint32 answer_by:6:uint64
            back:7:string? eta:8:PlaceEta?
        StopOver: request:1:string state:2:string
        StopAnswered: requests:1:string* state:2:string
        NoticeSent: notice:1:string people:2:uint64
        OfficeQueue: zone:1:string size:2:uint32 more:3:bool drivers:4:WaitingDriver*
        OfficeDriver: driver:1:string kind:2:string state:3:string connected:4:bool zone:5:string? rank:6:uint32?
            size:7:uint32? since:8:uint64? ride:9:string? offer:10:string? seats:11:uint32? position:12:Fix?
            away:13:DriverAway? blocked:14:OfficeBlock?
        OfficeRide: ride:1:string state:2:string passenger:3:string zone:4:string driver:5:string?
            offered_to:6:string? pickup:7:Point? destination:8:Point? passengers:9:uint32 requested_at:10:uint64
            accepted_at:11:uint64? arrived_at:12:uint64? aboard_at:13:uint64? closed_at:14:uint64? needs:15:string*
        OfficeRemoved: driver:1:string state:2:string audit:3:string
        OfficeCancelled: ride:1:string? state:2:string audit:3:string booking:4:string? reservation:5:string?
        OfficeBlocked: role:1:string subject:2:string since:3:uint64 until:4:uint64? state:5:string? audit:6:string
        OfficeUnblocked: role:1:string subject:2:string audit:3:string
        OfficeAudit: entries:1:AuditEntry* next:2:string?
        OfficePut: driver:1:string state:2:string zone:3:string rank:4:uint32 size:5:uint32 audit:6:string
        OfficeRideActed: ride:1:string driver:2:string? state:3:string audit:4:string
        OfficeSessionEnded: role:1:string subject:2:string revoked:3:bool audit:4:string
        OwnAlarm: sos:1:string state:2:string cancelled:3:bool watching:4:uint32
        Alarms: alarms:1:Alarm* more:2:bool
        OfficeActed: sos:1:string? report:2:string? state:3:string audit:4:string
        ReportOnly: report:1:string
        Reports: reports:1:Report* next:2:string?
        DriverSet: driver:1:string changed:2:bool? audit:3:string?
        DriverRecord: driver:1:string name:2:string phone:3:string? company:4:string? photo:5:string?
            licence:6:string? licence_until:7:string? medical_until:8:string? vehicle:9:string?
            capabilities:10:string* by:11:string at:12:uint64
        DriverRecords: drivers:1:DriverRecord* next:2:string?
        VehicleSet: vehicle:1:string code:2:string? changed:3:bool? audit:4:string?
        VehicleRecord: vehicle:1:string plate:2:string registration:3:string? company:4:string? model:5:string?
            colour:6:string? capabilities:7:string* code:8:string by:9:string at:10:uint64
        VehicleRecords: vehicles:1:VehicleRecord* next:2:string?
        Advice: days:1:uint32 here:2:AdviceHere? zones:3:ZoneAdvice*
        Reliability: window_days:1:uint32 total:2:uint32 no_shows:3:uint32? late_cancels:4:uint32?
            give_backs:5:uint32? points:6:uint64? deposit:7:bool? warn_at:8:uint32? pause_at:9:uint32?
            paused_until:10:uint64? role:11:string? subject:12:string?
        ReliabilityReset: role:1:string subject:2:string audit:3:string
        Reservation: reservation:1:string state:2:string zone:3:string pickup:4:Point? destination:5:Point?
            at:6:uint64 local:7:string time_zone:8:string passengers:9:uint32 needs:10:string* search_at:11:uint64
            ride:12:string? payment:13:string? fare:14:Fare?
        Reservations: reservations:1:Reservation*
        ReservationState: reservation:1:string state:2:string
        FareEstimate: fare:1:TripFare? distance_m:2:uint32 duration_s:3:uint32 is_estimate:4:bool
        PaymentChange: trip:1:string receipt:2:string payment:3:Payment?
        Trip: trip:1:string receipt:2:string driver:3:string card:4:Card? passenger:5:string? passengers:6:uint32
            from_zone:7:string? to_zone:8:string? began_at:9:uint64? ended_at:10:uint64 local:11:string?
            distance_m:12:uint32? duration_s:13:uint32 fare:14:TripFare? estimate:15:Fare? payment:16:Payment?
            stars:17:uint32? kind:18:string route:19:string? route_stars:20:uint32?
        TripRating: trip:1:string stars:2:uint32 route_stars:3:uint32?
        Ratings: role:1:string subject:2:string count:3:uint32 mean:4:double?
        Trips: trips:1:Trip* next:2:string?
        PushCount: subscriptions:1:uint64?
        PastRecords: records:1:PastRecord* next:2:string?
        QueueChange: zone:1:string rank:2:uint32 size:3:uint32 reason:4:string
        QueueLeft: zone:1:string reason:2:string text:3:string?
        Offer: ride:1:string zone:2:string passengers:3:uint32 expires_in_ms:4:uint64 expires_at:5:uint64
            needs:6:string* silent:15:bool?
        RideReason: ride:1:string reason:2:string
        RideCancelled: ride:1:string by:2:string reason:3:string text:4:string? state:5:string?
        RideSearching: ride:1:string zone:2:string round:3:uint32 reason:4:string until:5:uint64?
        RideAccepted: ride:1:string taxi:2:string position:3:Fix? eta_s:4:double? card:5:Card? pickup:6:Point?
            destination:7:Point? passengers:8:uint32? requested_at:9:uint64? silent:15:bool?
        RideFailed: ride:1:string code:2:string detail:3:string silent:15:bool?
        RideClose: ride:1:string taxi:2:string distance_m:3:double confidence:4:string silent:15:bool?
        RideAboard: ride:1:string passengers:2:uint32
        RideEnded: ride:1:string reason:2:string? receipt:3:string? fare:4:Fare? payment:5:Payment?
        RideDriverLost: ride:1:string taxi:2:string since:3:uint64 until:4:uint64 silent:15:bool?
        RideDriverBack: ride:1:string taxi:2:string silent:15:bool?
        RidePickupMoved: ride:1:string position:2:Point?
        TourEnded: tour:1:string reason:2:string
        ScheduleChange: tour:1:string bus:2:string reason:3:string minutes:4:sint32? delay_s:5:sint32? index:6:uint32?
            stop:7:string?
        SeatRequest: booking:1:string passengers:2:uint32 length_m:3:double fare:4:Fare? expires_in_ms:5:uint64
            expires_at:6:uint64 distance_m:7:double? detour_m:8:double? payment:9:string? silent:15:bool?
        BookingReason: booking:1:string reason:2:string
        SeatWaiting: booking:1:string passengers:2:uint32 distance_m:3:double
        SeatAboard: booking:1:string passengers:2:uint32
        SeatEnded: booking:1:string fare:2:Fare? receipt:3:string? payment:4:Payment? reason:5:string? text:6:string?
        SeatCancelled: booking:1:string by:2:string reason:3:string text:4:string?
        SeatsChanged: taken:1:uint32 seats:2:uint32 capacity:3:uint32 delta:4:sint32 reason:5:string booking:6:string?
        SeatConfirmed: booking:1:string vehicle:2:string passengers:3:uint32 position:4:Fix? eta_s:5:double?
            fare:6:Fare? card:7:Card? silent:15:bool?
        SeatDeclined: booking:1:string vehicle:2:string reason:3:string silent:15:bool?
        SeatClose: booking:1:string vehicle:2:string distance_m:3:double confidence:4:string silent:15:bool?
        RouteChanged: booking:1:string vehicle:2:string route:3:string? way:4:Way?
        SeatDriverLost: booking:1:string vehicle:2:string since:3:uint64 until:4:uint64 silent:15:bool?
        SeatDriverBack: booking:1:string vehicle:2:string silent:15:bool?
        SeatPickupMoved: booking:1:string position:2:Point?
        SeatSearching: booking:1:string passengers:2:uint32 reason:3:string until:4:uint64 fare:5:Fare?
        SeatFailed: booking:1:string reason:2:string detail:3:string silent:15:bool?
        StopNews: tour:1:string request:2:string state:3:string? quiet:4:bool? answer_by:5:uint64? reason:6:string?
            places:7:PickupPlace* silent:15:bool?
        StopEvent: request:1:string line:2:string state:3:string at:4:uint64 lat:5:double lon:6:double stop:7:string?
            passengers:8:uint32 back:9:string? bus:10:string? answer_by:11:uint64? notified:12:uint32?
            distance_m:13:double? reason:14:string? silent:15:bool? eta:16:PlaceEta?
        Notice: notice:1:string text:2:string zone:3:string? silent:4:bool?
        Alarm: sos:1:string state:2:string role:3:string subject:4:string at:5:uint64 rings:6:uint32 presses:7:uint32
            text:8:string? position:9:Fix? position_of:10:string? ride:11:string? booking:12:string? tour:13:string?
            line:14:string? vehicle:15:string? driver:16:string? passenger:17:string? cancelled:18:uint64?
            acknowledged:19:OfficeAct? closed:20:OfficeAct?
        AlarmActed: sos:1:string by:2:string? at:3:uint64? note:4:string?
        ReportSent: report:1:string category:2:string
        CallerTold: passenger:1:string name:2:string? number:3:string? event:4:string ride:5:string? booking:6:string?
            request:7:string? taxi:8:string? vehicle:9:string? bus:10:string? line:11:string? zone:12:string?
            at:13:uint64? answer_by:14:uint64? eta_s:15:double? distance_m:16:double? by:17:string? reason:18:string?
            code:19:string? detail:20:string? text:21:string? card:22:Card? reservation:130:string? local:131:string?
            minutes:132:uint32?
        PapersEnding: driver:1:string paper:2:string until:3:string days:4:sint32
        WaitAdvice: zone:1:string expected:2:double later:3:double waiting:4:uint32 distance_m:5:uint32
            wait_s:6:uint32 from:7:string here_s:8:uint32
        ReliabilityNews: kind:1:string window_days:2:uint32 total:3:uint32 no_shows:4:uint32? late_cancels:5:uint32?
            give_backs:6:uint32? points:7:uint64? deposit:8:bool? warn_at:9:uint32? pause_at:10:uint32?
            until:11:uint64?
        ReservationReminder: reservation:1:string at:2:uint64 local:3:string minutes:4:uint32 state:5:string
            silent:15:bool?
        ReservationSearching: reservation:1:string at:2:uint64 local:3:string ride:4:string reason:5:string
            minutes:6:uint32 until:7:uint64
        ReservationWaiting: reservation:1:string at:2:uint64 local:3:string ride:4:string? booking:5:string?
            reason:6:string until:7:uint64
        ReservationAssigned: reservation:1:string at:2:uint64 local:3:string ride:4:string taxi:5:string
            position:6:Fix? eta_s:7:double? card:8:Card? silent:15:bool?
        ReservationFailed: reservation:1:string at:2:uint64 local:3:string ride:4:string? code:5:string
            detail:6:string silent:15:bool?
        ReservationCancelled: reservation:1:string at:2:uint64 local:3:string ride:4:string? by:5:string
            reason:6:string? text:7:string?
        CatalogChange: version:1:string changed:2:ChangedLists?
        RideEta: ride:1:string taxi:2:string eta_s:3:double distance_m:4:double at:5:uint64 early_s:6:double
            late_s:7:double
        SeatEta: booking:1:string vehicle:2:string eta_s:3:double distance_m:4:double at:5:uint64 early_s:6:double
            late_s:7:double
        SeatStops: stops:1:SeatStop*
        StopEtaChange: request:1:string line:2:string bus:3:string eta:4:PlaceEta?
        DriverSnapshot: state:1:string? zone:2:string? rank:3:uint32? size:4:uint32? offer:5:Offer? ride:6:DriverRide?
            tour:40:Tour? kind:30:string? capacity:31:uint32? taken:32:uint32? seats:33:uint32? route:34:string?
            way:35:Way? request:36:SeatRequest? bookings:37:DriverBooking* notify:38:NotifyWishes?
            places:60:PickupPlace*
        PassengerSnapshot: ride:1:PassengerRide? booking:2:PassengerBooking? notify:3:NotifyWishes?
            requests:60:StopEvent* reservations:130:Reservation*
        LineSnapshot: line:1:string buses:2:Tour*
        Contact: name:1:string number:2:string
        Fare: amount:1:uint32 currency:2:string
        Payment: method:1:string state:2:string reference:3:string?
        Way: start:1:Point? via:2:Point* end:3:Point?
        Fix: lat:1:double lon:2:double at:3:uint64
        Seats: total:1:uint32 taken:2:uint32 free:3:uint32 band:4:string
        StopPlace: index:1:uint32 stop:2:string
        StopEta: index:1:uint32 stop:2:string at:3:uint64 early:4:uint64? late:5:uint64? clock:6:string?
        Arrival: pattern:1:string headsign:2:string? trip:3:string? tour:4:string? bus:5:string? scheduled:6:bool
            distance_m:7:uint32? eta:8:PlaceEta?
        PlaceEta: at:1:uint64 early:2:uint64? late:3:uint64? clock:4:string?
        WaitingDriver: driver:1:string rank:2:uint32 state:3:string since:4:uint64? offer:5:string? position:6:Fix?
        DriverAway: since:1:uint64 why:2:string
        OfficeBlock: reason:1:string by:2:string since:3:uint64 until:4:uint64?
        AuditEntry: id:1:string time:2:uint64 operator:3:string command:4:string target:5:string reason:6:string?
            before:7:AuditFacts? after:8:AuditFacts?
        Report: report:1:string at:2:uint64 category:3:string text:4:string role:5:string? subject:6:string?
            ride:7:string? vehicle:8:string? closed:9:OfficeAct?
        AdviceHere: zone:1:string expected:2:double later:3:double waiting:4:uint32 rank:5:uint32? wait_s:6:uint32?
        ZoneAdvice: zone:1:string expected:2:double later:3:double waiting:4:uint32 distance_m:5:uint32
            wait_s:6:uint32
        TripFare: amount:1:uint32 currency:2:string parts:3:FarePart*
        Card: name:1:string? photo:2:string? plate:3:string? registration:4:string? model:5:string? colour:6:string?
            company:7:string? capabilities:8:string* code:9:string?
        PastRecord: id:1:string passenger:2:string? driver:3:string? zone:4:string? line:5:string? route:6:string?
            tour:7:string? stop:8:string? ride:9:string? bus:10:string? pattern:11:string? trip:12:string?
            passengers:13:uint32? aboard:14:uint32? from_lat:15:double? from_lon:16:double? to_lat:17:double?
            to_lon:18:double? lat:19:double? lon:20:double? requested_at:21:uint64? offered_at:22:uint64?
            accepted_at:23:uint64? asked_at:24:uint64? confirmed_at:25:uint64? wanted_at:26:uint64? near_at:27:uint64?
            arrived_at:28:uint64? aboard_at:29:uint64? at:30:uint64? made_at:31:uint64? searching_at:32:uint64?
            assigned_at:33:uint64? started_at:34:uint64? ended_at:35:uint64? outcome:36:string? ended_by:37:string?
            reason:38:string? offers:39:uint32? rounds:40:uint32? given_back:41:uint32? reopened:42:uint32?
            receipt:43:string? fare:44:uint64? currency:45:string? payment:46:string? payment_state:47:string?
            stars_of_driver:48:uint32? stars_of_passenger:49:uint32? route_stars:50:uint32?
            payment_reference:51:string? estimate:52:uint64? fare_parts:53:FarePart* local_time:54:string?
            to_zone:55:string? distance_m:56:double? plate:57:string? driver_name:58:string? company:59:string?
            comment_on_driver:60:string? comment_on_passenger:61:string? role:62:string? subject:63:string?
            booking:64:string? vehicle:65:string? text:66:string? category:67:string? raised_at:68:uint64?
            cancelled_at:69:uint64? acknowledged_at:70:uint64? acknowledged_by:71:string? acknowledged_note:72:string?
            closed_at:73:uint64? closed_by:74:string? closed_note:75:string? sent_at:76:uint64?
        PickupPlace: place:1:string at:2:uint64 lat:3:double lon:4:double stop:5:string? passengers:6:uint32
            requests:7:StopPickup*
        OfficeAct: by:1:string at:2:uint64 note:3:string?
        ChangedLists: lines:1:uint64? buses:2:uint64? stops:3:uint64? routes:4:uint64?
        SeatStop: booking:1:string what:2:string lat:3:double lon:4:double
        DriverRide: ride:1:string state:2:string pickup:3:Point? passengers:4:uint32 notified:5:uint32
            destination:6:Point? needs:7:string* contact:15:Contact? payment:16:string?
        DriverBooking: booking:1:string state:2:string pickup:3:Point? destination:4:Point? passengers:5:uint32
            notified:6:uint32 payment:7:string? contact:15:Contact?
        PassengerRide: ride:1:string state:2:string zone:3:string passengers:4:uint32 taxi:5:string? position:6:Fix?
            eta_s:7:double? notified:8:uint32? driver_lost:9:DriverLost? card:10:Card? needs:11:string*
            until:12:uint64?
        PassengerBooking: booking:1:string vehicle:2:string? state:3:string passengers:4:uint32 fare:5:Fare?
            notified:6:uint32 position:7:Fix? driver_lost:8:DriverLost? card:9:Card? until:10:uint64?
        AuditFacts: state:1:string? zone:2:string? rank:3:uint32? ride:4:string? passenger:5:string? driver:6:string?
            blocked:7:bool? until:8:uint64? why:9:string? bus:10:string? line:11:string? notice:12:string?
            people:13:uint64? text:14:string? registered:40:bool? vehicle:41:string? company:42:string?
            licence_until:43:string? medical_until:44:string? plate:45:string? registration:46:string?
            new_code:47:bool? total:48:uint32? changed:49:string*
        FarePart: name:1:string amount:2:uint32 zone:3:string?
        StopPickup: request:1:string state:2:string at:3:uint64 passengers:4:uint32 name:5:string number:6:string?
            address:7:string? help:8:string* notified:9:uint32 back:10:string? answer_by:11:uint64?
        DriverLost: since:1:uint64 until:2:uint64
        """
}
