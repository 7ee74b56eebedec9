/** What is built from AssemblyScript, from disk: the one place in the EVM that reads a file. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** The two builds of the interpreter, and the arithmetic of precompiles. */
export type Build = 'plain' | 'traced' | 'precompiles'

const modules = new Map<Build, WebAssembly.Module>()

/** The compiled module of a build; each is compiled once in a thread. */
export function loadModule(build: Build): WebAssembly.Module {
  let module = modules.get(build)
  if (!module) {
    module = new WebAssembly.Module(readFileSync(createRequire(import.meta.url).resolve(`#evm/${build}.wasm`)))
    modules.set(build, module)
  }
  return module
}
