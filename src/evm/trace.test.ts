import { expect, test } from 'vitest'
import { CALLER, CONTRACT, GAS, machine, OTHER } from '../../test/support/evm/machine.ts'
import { recorder } from '../../test/support/evm/step-lines.ts'
import { formatHex, toKey } from '../primitives/bytes.ts'
import type { FrameEnd, FrameStart } from './trace.ts'

test('every step is reported with its position, stack, gas and cost', () => {
  const { tracer, steps, memory } = recorder()
  const { gasLeft } = machine({ code: '602a6001015f5260205ff3', tracer }).call()
  expect(steps.map(({ text }) => text)).toEqual([
    '1 0 PUSH1 []',
    '1 2 PUSH1 [2a]',
    '1 4 ADD [2a,1]',
    '1 5 PUSH0 [2b]',
    '1 6 MSTORE [2b,0]',
    '1 7 PUSH1 []',
    '1 9 PUSH0 [20]',
    '1 10 RETURN [20,0]',
  ])
  expect(steps.map(({ cost }) => cost)).toEqual([3n, 3n, 3n, 2n, 6n, 3n, 2n, 0n])
  expect(steps[0]!.gas).toBe(GAS)
  expect(steps.reduce((sum, { cost }) => sum + cost, 0n)).toBe(GAS - gasLeft)
  expect(memory).toEqual([`0 ${'2b'.padStart(64, '0')}`])
})

test('frames are reported with caller, callee and result', () => {
  const { tracer, frames, steps, memory } = recorder()
  machine({
    code: `60205f5f5f600573${formatHex(OTHER)}61ffff f1505f5f5f5f73${formatHex(CALLER)}5afa50`.replace(' ', ''),
    other: '602a5f5260205ffd',
    tracer,
  }).call()
  const [outer, inner, innerEnd, precompile, precompileEnd, outerEnd] = frames
  expect(outer).toMatchObject({ kind: 'CALL', depth: 1, from: CALLER, to: CONTRACT, gas: GAS })
  expect(inner).toMatchObject({ kind: 'CALL', depth: 2, from: CONTRACT, to: OTHER, gas: 0xffffn + 2300n, valueWei: 5n })
  expect(innerEnd).toMatchObject({ depth: 2, success: false, error: 'execution reverted', gasUsed: 16n })
  expect(BigInt(`0x${formatHex((innerEnd as FrameEnd).output)}`)).toBe(42n)
  expect(precompile).toMatchObject({ kind: 'STATICCALL', depth: 2, to: CALLER })
  expect(precompileEnd).toMatchObject({ depth: 2, success: true, gasUsed: 0n })
  expect(outerEnd).toMatchObject({ depth: 1, success: true })
  expect(steps.filter(({ text }) => text.startsWith('2')).length).toBe(6)
  // Written by the inner frame, then by the call's output range.
  expect(memory).toEqual([`0 ${'2a'.padStart(64, '0')}`, `0 ${'2a'.padStart(64, '0')}`])
})

test('a tracer of one callee receives its calls only, and neither creations nor self-destructs', () => {
  const heard: string[] = []
  const tracer = (callee?: string) => ({
    ...(callee !== undefined && { callee }),
    enter: ({ kind, to, input }: FrameStart) => void heard.push(`${kind} ${formatHex(to)} ${formatHex(input)}`),
  })
  // Two calls, of OTHER with a byte of data and of CALLER; an empty creation; then self-destruct in favour of OTHER.
  const code = `5f5f60015f5f73${formatHex(OTHER)}5af15f5f5f5f73${formatHex(CALLER)}5afa5f5f5ff073${formatHex(OTHER)}ff`
  machine({ code, other: '00', tracer: tracer(toKey(OTHER)) }).call()
  expect(heard.splice(0)).toEqual([`CALL ${formatHex(OTHER)} 00`])
  machine({ code, other: '00', tracer: tracer() }).call()
  expect(heard.map((line) => line.split(' ')[0])).toEqual(['CALL', 'CALL', 'STATICCALL', 'CREATE', 'SELFDESTRUCT'])
})

test('a trace longer than the buffer, with writes longer than the buffer, is complete', () => {
  const { tracer, steps, memory } = recorder()
  // 20,000 rounds of a loop, then a copy of 300,000 bytes.
  const result = machine({ code: '614e205b6001900380600357620493e05f5f37', tracer }).call()
  expect(result.success).toBe(true)
  expect(steps.length).toBe(1 + 20_000 * 7 + 5)
  expect(steps.reduce((sum, { cost }) => sum + cost, 0n)).toBe(GAS - result.gasLeft)
  expect(memory).toEqual([`0 ${'00'.repeat(300_000)}`])
})

test('both builds have the same results', () => {
  for (const code of [
    '5f5f5f5f5f5f5f',
    '5b5f600056',
    '01',
    '600556',
    '602a5f5560015f5500',
    'fe',
    '5b600056',
    '60ff6101f452',
  ]) {
    const plain = machine({ code }).call({ gas: 100_000n })
    expect(machine({ code, tracer: recorder().tracer }).call({ gas: 100_000n })).toEqual(plain)
  }
})
