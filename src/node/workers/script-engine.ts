/** Instances of QuickJS for scripts of tracers. */
import type { QuickJSSyncVariant } from 'quickjs-emscripten-core'
import type { ScriptEngine } from '../../evm/tracers/javascript/sandbox.ts'

/** An engine of its own: what a script did to the last one's memory is gone with it. */
export async function loadScriptEngine(): Promise<ScriptEngine> {
  const [{ newQuickJSWASMModuleFromVariant }, variant] = await Promise.all([
    import('quickjs-emscripten-core'),
    import('@jitl/quickjs-wasmfile-release-sync'),
  ])
  return newQuickJSWASMModuleFromVariant(variant.default as unknown as QuickJSSyncVariant)
}
