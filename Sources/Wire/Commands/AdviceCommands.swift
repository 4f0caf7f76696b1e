/// Where it is worth waiting.
public enum AdviceCommand: CommandGroup {
    case get

    static let kinds: [CommandKind<AdviceCommand>] = [
        CommandKind("advice.get", [.driver], .own, overHTTP: [.driver], .get)
    ]
}
