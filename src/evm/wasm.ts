/** Loads the AssemblyScript builds from disk. No other file of the EVM reads files. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** The two builds of the interpreter, and the arithmetic of precompiles. */
export type Build = 'plain' | 'traced' | 'precompiles'

const modules = new Map<Build, WebAssembly.Module>()

/** Returns the compiled module of a build; each is compiled once per thread. */
export function loadModule(build: Build): WebAssembly.Module {
  let module = modules.get(build)
  if (!module) {
    module = new WebAssembly.Module(readFileSync(createRequire(import.meta.url).resolve(`#evm/${build}.wasm`)))
    modules.set(build, module)
  }
  return module
}
