import { expect, test } from 'vitest'
import { createEngineLoader } from './script-engine.ts'

const FILL = 'const all = []; for (;;) all.push("x".repeat(1000) + all.length)'
const MARK = 'globalThis.mark = (globalThis.mark ?? 0) + 1'

test('engines have one memory, one after the other, and none sees what a script has left in it', async () => {
  const load = createEngineLoader()
  const memories = new Set<WebAssembly.Memory>()
  for (let i = 0; i < 3; i++) {
    const engine = await load()
    memories.add(engine.getWasmMemory())
    const filled = engine.newContext()
    const vm = engine.newContext()
    expect(vm.dump(vm.unwrapResult(vm.evalCode(MARK)))).toBe(1)
    // The script ends for lack of memory, and its engine with it.
    expect(filled.evalCode(FILL)).toHaveProperty('error')
  }
  const [memory, ...others] = memories
  expect(others).toEqual([])
  expect(memory!.buffer.byteLength).toBeGreaterThan(32 << 20)
  expect(memory!.buffer.byteLength).toBeLessThanOrEqual(64 << 20)
})
