#if canImport(CaffeineModel)
    import CaffeineModel
    import ModelJSON
#endif

// What a page calls of the WebAssembly module; `bridge.js` is the other side. A page has one instance, which is never
// freed: it lives as long as its page.

#if arch(wasm32)
/// A page's module, and what its last call returned.
struct Instance {
    var module = CaffeineModule()
    var result: [UInt8] = []
    var numbers: [Double] = []
}

extension UnsafeMutableRawPointer {
    fileprivate var instance: UnsafeMutablePointer<Instance> { assumingMemoryBound(to: Instance.self) }
}

@_expose(wasm, "create")
@_cdecl("create")
func create() -> UnsafeMutableRawPointer {
    let instance = UnsafeMutablePointer<Instance>.allocate(capacity: 1)
    instance.initialize(to: Instance())
    return UnsafeMutableRawPointer(instance)
}

/// The names of the functions, a JSON list, as the instance's result.
@_expose(wasm, "functions")
@_cdecl("functions")
func functions(_ instance: UnsafeMutableRawPointer) {
    instance.instance.pointee.result = JSON.array(CaffeineModule.Function.allCases.map { .string($0.rawValue) }).bytes
}

/// Memory for the arguments of a call, which frees it.
@_expose(wasm, "allocate")
@_cdecl("allocate")
func allocate(_ count: Int32) -> UnsafeMutablePointer<UInt8> { .allocate(capacity: Int(count)) }

/// Calls a function: 0, or 1 if the result is the text of an error.
@_expose(wasm, "call")
@_cdecl("call")
func call(
    _ instance: UnsafeMutableRawPointer, _ function: Int32, _ arguments: UnsafeMutablePointer<UInt8>, _ count: Int32
) -> Int32 {
    let bytes = Array(UnsafeBufferPointer(start: arguments, count: Int(count)))
    arguments.deallocate()
    let function = CaffeineModule.Function.allCases[Int(function)]
    let json: JSON
    do throws(JSONError) {
        json = try JSON(bytes)
    } catch {
        instance.instance.pointee.result = Array(error.description.utf8)
        return 1
    }
    do throws(CaffeineFormatError) {
        instance.instance.pointee.result = try instance.instance.pointee.module.call(function, json).bytes
    } catch {
        instance.instance.pointee.result = Array("\(function.rawValue): \(error.description)".utf8)
        return 1
    }
    instance.instance.pointee.numbers = instance.instance.pointee.module.numbers
    return 0
}

@_expose(wasm, "result")
@_cdecl("result")
func result(_ instance: UnsafeMutableRawPointer) -> UnsafePointer<UInt8>? {
    instance.instance.pointee.result.withUnsafeBufferPointer { $0.baseAddress }
}

@_expose(wasm, "resultCount")
@_cdecl("resultCount")
func resultCount(_ instance: UnsafeMutableRawPointer) -> Int32 { Int32(instance.instance.pointee.result.count) }

@_expose(wasm, "numbers")
@_cdecl("numbers")
func numbers(_ instance: UnsafeMutableRawPointer) -> UnsafePointer<Double>? {
    instance.instance.pointee.numbers.withUnsafeBufferPointer { $0.baseAddress }
}

@_expose(wasm, "numbersCount")
@_cdecl("numbersCount")
func numbersCount(_ instance: UnsafeMutableRawPointer) -> Int32 { Int32(instance.instance.pointee.numbers.count) }
#endif
