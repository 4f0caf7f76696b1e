import ClientSupport
import Wire

/// One table, or its data.
struct LoadReport {
    var name: String
    var table: TextTable
    var results: LoadResults?
    /// Further data, beside the results.
    var more: JSONObject

    var text: String { "\n" + table.text + (results?.warning ?? "") }

    var json: String {
        var object = results?.json ?? JSONObject()
        object["bench"] = .string(name)
        for member in more { object[member.key] = member.value }
        return JSONValue.object(object).description
    }

    /// Makes the report and prints it. 0: done. 2: it could not be made; standard error says why.
    static func print(isJSON: Bool, _ make: () throws(RunError) -> LoadReport) -> Int32 {
        do throws(RunError) {
            let report = try make()
            if isJSON { Console.write(json: report.json) } else { Console.write(report.text, to: Console.result) }
            return 0
        } catch {
            Console.write("\(error)\n", to: Console.people)
            return 2
        }
    }
}
