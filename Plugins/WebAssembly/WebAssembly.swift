import Foundation
import PackagePlugin

/// Compiles a target and the targets that it depends on to a WebAssembly module, and adds the module to the target as a
/// constant of the target's name.
@main
struct WebAssembly: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let targets = target.recursiveTargetDependencies + [target]
        // In a fixed order: other orders change the size of the compressed module by up to 3 %.
        let sources = targets.compactMap { $0 as? SwiftSourceModuleTarget }.flatMap { module in
            module.sourceFiles(withSuffix: "swift").map(\.url).sorted { $0.path() < $1.path() }
        }
        let folder = context.package.directoryURL.appending(path: "script/webassembly")
        let script = folder.appending(path: "build")
        let output = context.pluginWorkDirectoryURL.appending(path: "\(target.name).swift")
        let name = target.name.prefix(1).lowercased() + target.name.dropFirst()
        return [
            .buildCommand(
                displayName: "Compiling \(target.name) to WebAssembly", executable: URL(filePath: "/bin/sh"),
                arguments: [script.path(), name, output.path()] + sources.map { $0.path() },
                inputFiles: sources
                    + ["build", "exports.swift", "runtime.c", "unicode.c"].map { folder.appending(path: $0) },
                outputFiles: [output])
        ]
    }
}
