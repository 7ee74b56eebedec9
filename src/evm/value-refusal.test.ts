/** Value that the state refuses to move: the errors, the gas and the traces of calls, creations and self-destructs. */
import { expect, test } from 'vitest'
import { CONTRACT, GAS, machine, OTHER } from '../../test/support/evm/machine.ts'
import { decodeUint, EMPTY, equal, formatHex } from '../primitives/bytes.ts'
import { traceFactoryOf } from './tracers/create.ts'
import { createOutput } from './tracers/output.ts'

const NO = 'not to this account'
const ANYONE = '11'.repeat(20)

/** Calls CONTRACT, on a state that refuses value for OTHER, under a tracer. Returns the result and the trace. */
function run(tracer: string, code: string) {
  const chunks: Uint8Array[] = []
  const output = createOutput((chunk) => chunks.push(chunk))
  const context = { blockNumber: 1n, txIndex: 0, firstLogIndex: 0 }
  const trace = traceFactoryOf(tracer)({ config: {}, context, output, memoryBytes: 1 << 20 })
  const { state, call, evm } = machine({ code, other: '00', tracer: trace.tracer })
  Object.assign(state, {
    valueRefusal: (to: Uint8Array | undefined) => (to && equal(to, OTHER) ? NO : undefined),
  })
  const result = call()
  const { gasLeft, success, error } = result
  const gasUsed = GAS - gasLeft
  const ended = { ...result, gasUsed, gasUsedBeforeRefund: gasUsed, logs: [], success, error }
  trace.tracer.end?.(ended, evm.journal)
  trace.finish()
  output.flush()
  return { result, evm, call, text: Buffer.concat(chunks).toString('utf8') }
}

test('a refused call returns 0 and gets its gas and the stipend back', () => {
  // CALL with 50,000 gas and a value of 1; returns the gas that the call used.
  const calls = (to: string) => `5a5f5f5f5f600173${to}61c350f1505a900360005260206000f3`
  const used = (to: string) => decodeUint(machineOutput(calls(to)))
  const machineOutput = (code: string) => run('noopTracer', code).result.output
  // The account is cold, 2600, and a value costs 9000; the stipend of 2300 comes back. 21 are the pushes, POP and GAS.
  expect(used(formatHex(OTHER))).toBe(2_600n + 9_000n - 2_300n + 21n)
  // An account that does not exist costs 25,000 more, and its call gives the stipend back too.
  expect(used(ANYONE)).toBe(2_600n + 9_000n + 25_000n - 2_300n + 21n)
})

test('a refused self-destruct fails its frame with the reason, in traces too, and uses the gas of the frame', () => {
  const code = `73${formatHex(OTHER)}ff`
  const { result, evm, text, call: again } = run('', code)
  expect(result).toMatchObject({ success: false, error: NO, gasLeft: 0n })
  expect([evm.journal.balance(CONTRACT), evm.journal.balance(OTHER)]).toEqual([1000n, 0n])
  // As in geth a struct log names no reason for a step that failed after it began, such as a write in a static call.
  const { structLogs, failed } = JSON.parse(text)
  expect(failed).toBe(true)
  expect(structLogs).toHaveLength(2)
  expect(structLogs[1]).toMatchObject({ op: 'SELFDESTRUCT', gasCost: 5_000 + 2_600 })
  expect(JSON.parse(run('callTracer', code).text)).toMatchObject({ error: NO })
  // A later frame does not see the reason of an earlier one.
  expect(again({ isStatic: true }).error).toBe('write protection')
  expect(run('noopTracer', `73${ANYONE}ff`).result).toMatchObject({ success: true, output: EMPTY })
})
