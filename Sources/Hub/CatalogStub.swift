import Domain

extension Worker {
    var catalog: Catalog? { nil }
    var cityTime: CityTime { .utc }
}
