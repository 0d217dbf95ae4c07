#if canImport(BoardModel)
    import BoardModel
#endif

#if arch(wasm32)
    // The types that `script/webassembly/exports.swift` exports to a page.
    typealias PageModule = BoardModule
    typealias PageModuleError = BoardFormatError
#endif
