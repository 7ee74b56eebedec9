import { afterEach, expect, test, vi } from 'vitest'
import type { AssembledNode } from '../node/assembly.ts'
import { type RunOptions, runNode } from './run-node.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

test('an engine that ends during the stop of a halted node does not cut the stop short', async () => {
  vi.useFakeTimers()
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never)
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  let reactions: Parameters<RunOptions['open']>[0] | undefined
  let closed = () => {}
  const node = {
    config: { node: { silent: true }, log: { format: 'text' } },
    height: 4n,
    log: () => undefined,
    stop: () => new Promise<void>((resolve) => (closed = resolve)),
  }
  void runNode({
    async open(given) {
      reactions = given
      return node as unknown as AssembledNode
    },
    logFormat: 'text',
    announce: async () => undefined,
  })
  await vi.advanceTimersByTimeAsync(0)
  reactions!.onHalt({ exitCode: 3, line: undefined, callsSupervisor: true, serves: false })
  reactions!.onEngineExit('cometbft has ended')
  await vi.advanceTimersByTimeAsync(1000)
  closed()
  await vi.advanceTimersByTimeAsync(1999)
  expect(exit).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(exit.mock.calls).toEqual([[3]])
})
