import Domain
import RedisLink
import Settings
import Wire

/// The records of drivers and vehicles. The functions decide; each change has its entry in the audit.
final class Registry: Capability {
    let services: WorkerServices

    init(_ services: WorkerServices) { self.services = services }

    func handle(_ message: ClientMessage, _ session: Session, _ identity: Identity) -> Bool {
        guard case .registry(let command) = message.command else { return false }
        command.carryOut(by: identity.subject, key: message.key ?? "") { function, arguments in
            switch command {
            case .drivers, .vehicles: list(function, arguments, message, session)
            default: call(function, arguments, message, session)
            }
        }
        return true
    }
}

extension RegistryCommand {
    /// Calls the function of the command, with what it is given. `seen`: when the record that is changed was written, ms, as it was read (0:
    /// there was none); nil: it is written whatever it was.
    func carryOut(by operator: String, key: String, seen: Int64? = nil, _ call: (String, FunctionArguments) -> Void) {
        let who = RedisArgument(`operator`)
        let key = RedisArgument(key)
        let seen = seen.map { RedisArgument($0) } ?? ""
        switch self {
        case .setDriver(let record):
            call(
                "registry_set_driver",
                ["operator": who, "record": RedisArgument(record.json), "key": key, "seen": seen])
        case .setVehicle(let record, let isNew):
            call(
                "registry_set_vehicle",
                [
                    "operator": who, "record": RedisArgument(record.json), "code": RedisArgument(RandomID.sign()),
                    "is_new": isNew ? "1" : "", "key": key, "seen": seen,
                ])
        case .removeDriver(let id):
            call("registry_remove_driver", ["operator": who, "driver": RedisArgument(id), "key": key])
        case .removeVehicle(let id):
            call("registry_remove_vehicle", ["operator": who, "vehicle": RedisArgument(id), "key": key])
        case .driver(let id): call("registry_get", ["kind": "driver", "id": RedisArgument(id)])
        case .vehicle(let id): call("registry_get", ["kind": "vehicle", "id": RedisArgument(id)])
        case .drivers(let from, let limit, let date):
            call(
                "registry_list",
                [
                    "kind": "driver", "from": RedisArgument(from ?? ""), "limit": RedisArgument(limit),
                    "ends_by": RedisArgument(date ?? ""),
                ])
        case .vehicles(let from, let limit):
            call(
                "registry_list",
                ["kind": "vehicle", "from": RedisArgument(from ?? ""), "limit": RedisArgument(limit), "ends_by": ""])
        }
    }
}
