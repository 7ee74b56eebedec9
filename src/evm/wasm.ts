/** Loads the programs of `build/evm/` from disk. No other file of the EVM reads files. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** The two builds of the interpreter, the arithmetic of precompiles, and the curves of mcl-wasm. */
export type Build = 'plain' | 'traced' | 'precompiles' | 'mcl'

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
