/** Instances of QuickJS for scripts of tracers. */
import type { QuickJSSyncVariant } from 'quickjs-emscripten-core'
import type { ScriptEngine } from '../../evm/tracers/javascript/sandbox.ts'

const PAGE_BYTES = 65_536
const INITIAL_BYTES = 16 << 20
/** All of an engine's memory: QuickJS does not count what it allocates, so this is what holds a script. */
const MOST_BYTES = 64 << 20

/** An engine of its own: what a script did to the last one's memory is gone with it. */
export async function loadScriptEngine(): Promise<ScriptEngine> {
  const [{ newQuickJSWASMModuleFromVariant, newVariant }, variant] = await Promise.all([
    import('quickjs-emscripten-core'),
    import('@jitl/quickjs-wasmfile-release-sync'),
  ])
  const wasmMemory = new WebAssembly.Memory({ initial: INITIAL_BYTES / PAGE_BYTES, maximum: MOST_BYTES / PAGE_BYTES })
  return newQuickJSWASMModuleFromVariant(newVariant(variant.default as unknown as QuickJSSyncVariant, { wasmMemory }))
}
