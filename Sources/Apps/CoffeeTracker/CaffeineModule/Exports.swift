#if canImport(CaffeineModel)
    import CaffeineModel
#endif

#if arch(wasm32)
    // The types that `script/webassembly/exports.swift` exports to a page.
    typealias PageModule = CaffeineModule
    typealias PageModuleError = CaffeineFormatError
#endif
