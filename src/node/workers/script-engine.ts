/** Instances of QuickJS for tracer scripts. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { QuickJSSyncVariant } from 'quickjs-emscripten-core'
import type { ScriptEngine } from '../../evm/tracers/javascript/sandbox.ts'

const PAGE_BYTES = 65_536
const INITIAL_BYTES = 16 << 20
/**
 * Memory of a JavaScript tracer. QuickJS does not count allocations, so this is the only limit of a script. Beyond: the trace
 * fails.
 */
const MAX_BYTES = 64 << 20

/** Returns the variant that a module exports: the bundle loads its CommonJS form, whose default export is the namespace. */
function variantOf(module: object): QuickJSSyncVariant {
  let found = module
  while ('default' in found) found = found.default as object
  return found as QuickJSSyncVariant
}

async function loadProgram(): Promise<WebAssembly.Module> {
  return new WebAssembly.Module(await readFile(createRequire(import.meta.url).resolve('#build/quickjs.wasm')))
}

const createMemory = (): WebAssembly.Memory =>
  new WebAssembly.Memory({ initial: INITIAL_BYTES / PAGE_BYTES, maximum: MAX_BYTES / PAGE_BYTES })

/**
 * Returns a function that loads a new engine, which no earlier script has changed, and ends the engine before it. All have the same
 * memory, cleared: the garbage collector is in no hurry to free the 64 MB of a script that has ended. The function throws if the
 * engine ignores the memory limit.
 */
export function createEngineLoader(): () => Promise<ScriptEngine> {
  let program: Promise<WebAssembly.Module> | undefined
  let memory: WebAssembly.Memory | undefined
  return async () => {
    const [{ newQuickJSWASMModuleFromVariant, newVariant }, variant] = await Promise.all([
      import('quickjs-emscripten-core'),
      import('@jitl/quickjs-wasmfile-release-sync'),
    ])
    if (memory) new Uint8Array(memory.buffer).fill(0)
    memory ??= createMemory()
    const wasmMemory = memory
    const engine = await newQuickJSWASMModuleFromVariant(
      newVariant(variantOf(variant), { wasmMemory, wasmModule: () => (program ??= loadProgram()) }),
    )
    if (engine.getWasmMemory() !== wasmMemory) throw new Error('the script engine ignores the memory limit')
    return engine
  }
}
