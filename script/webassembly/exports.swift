// The functions that a WebAssembly module exports to its page, where `bridge.js` calls them. This file is compiled with
// the sources of each module, which declare two types: `PageModule`, and `PageModuleError` for invalid arguments. A
// page has one instance, which is never freed: it lives as long as its page.

/// A page's module, and what its last call returned.
struct Instance {
    var module = PageModule()
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
    instance.instance.pointee.result = JSON.array(PageModule.Function.allCases.map { .string($0.rawValue) }).bytes
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
    let function = PageModule.Function.allCases[Int(function)]
    let json: JSON
    do throws(JSONError) {
        json = try JSON(bytes)
    } catch {
        instance.instance.pointee.result = Array(error.description.utf8)
        return 1
    }
    do throws(PageModuleError) {
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

/// The address of the last call's numbers; null if there are none, because an empty array's address isn't aligned.
@_expose(wasm, "numbers")
@_cdecl("numbers")
func numbers(_ instance: UnsafeMutableRawPointer) -> UnsafePointer<Double>? {
    if instance.instance.pointee.numbers.isEmpty { return nil }
    return instance.instance.pointee.numbers.withUnsafeBufferPointer { $0.baseAddress }
}

@_expose(wasm, "numbersCount")
@_cdecl("numbersCount")
func numbersCount(_ instance: UnsafeMutableRawPointer) -> Int32 { Int32(instance.instance.pointee.numbers.count) }
