import Glibc

// Named apart from the C functions, which test files would have to import whole.
func sine(_ x: Double) -> Double { sin(x) }
func cosine(_ x: Double) -> Double { cos(x) }
