import { describe, expect, test } from 'vitest'
import { machine, type Setup } from '../../test/support/evm/machine.ts'
import { recorder } from '../../test/support/evm/step-lines.ts'

/** Returns the last step of failing code: its `failure`, cost and error. */
function failing(code: string, gas: bigint, { isStatic = false, ...setup }: Setup & { isStatic?: boolean } = {}) {
  const { tracer, steps, frames } = recorder()
  const result = machine({ code, tracer, ...setup }).call({ gas, isStatic })
  const { cost, failure, error } = steps.at(-1)!
  expect(frames.at(-1)).toMatchObject({ error })
  expect(machine({ code, ...setup }).call({ gas, isStatic })).toEqual(result)
  return [failure, cost, error] as const
}

const OUT = 'out of gas'

describe('a step without enough gas reports its full cost, like geth', () => {
  test('cold state access costs 2,100 and 2,600, and the constant 100 if not even that is left', () => {
    expect(failing('5f54', 2n + 2099n)).toEqual([1, 2100n, OUT])
    expect(failing('5f31', 2n + 2599n)).toEqual([1, 2600n, OUT])
    expect(failing('5f31', 2n + 99n)).toEqual([1, 100n, OUT])
    // Three words copied into three words of fresh memory.
    expect(failing('60605f5f5f3c', 9n + 2000n)).toEqual([1, 2600n + 9n + 9n, OUT])
    expect(failing('5fff', 2n + 4999n)).toEqual([1, 5000n, OUT])
    expect(failing('5fff', 2n + 5000n)).toEqual([1, 7600n + 25_000n, OUT])
  })

  test('memory costs three gas a word and a 512th of the square of the words', () => {
    // 0x10020 bytes are 2,049 words.
    const growth = 3n * 2049n + (2049n * 2049n) / 512n
    expect(failing('5f6201000052', 5n + 100n)).toEqual([1, 3n + growth, OUT])
    expect(failing('620100205ffd', 5n + 100n)).toEqual([1, growth, OUT])
    expect(failing('620100205f20', 5n + 100n)).toEqual([1, 30n + 6n * 2049n + growth, OUT])
    expect(failing('620100205f5f37', 7n + 100n)).toEqual([1, 3n + 3n * 2049n + growth, OUT])
  })

  test('EXP and LOG have no constant part', () => {
    expect(failing('61010060020a', 6n + 5n)).toEqual([1, 10n + 2n * 50n, OUT])
    expect(failing('61010060020a', 6n + 50n)).toEqual([1, 110n, OUT])
    expect(failing('5f60405fa1', 7n + 100n)).toEqual([1, 2n * 375n + 8n * 64n + 6n, OUT])
    expect(failing('5f60405fa1', 7n + 755n)).toEqual([1, 2n * 375n + 8n * 64n + 6n, OUT])
    expect(failing('5f60405fa1', 7n + 760n)).toEqual([1, 2n * 375n + 8n * 64n + 6n, OUT])
  })

  test('SSTORE below the sentry costs nothing, above it what it costs', () => {
    const sentry = 'out of gas: not enough gas for reentrancy sentry'
    expect(failing('60015f55', 5n + 2300n)).toEqual([1, 0n, sentry])
    expect(failing('60015f55', 5n + 2301n)).toEqual([1, 2100n + 20_000n, OUT])
  })

  test('a call costs its constant part, a cold account, then the rest with the requested gas', () => {
    // Six pushes of zero and the requested gas; the account zero is cold and does not exist.
    const call = (value: string, wanted: string) => `5f5f5f5f60${value}5f61${wanted}f1`
    expect(failing(call('00', '0064'), 16n + 99n)).toEqual([1, 100n, OUT])
    expect(failing(call('00', '0064'), 16n + 2599n)).toEqual([1, 100n, 'out of gas: out of gas'])
    expect(failing(call('01', '0064'), 16n + 3000n)).toEqual([1, 2600n + 9000n + 25_000n + 100n, OUT])
    // Too little gas for 2,049 words of memory, and the account is still cold.
    const growth = 3n * 2049n + (2049n * 2049n) / 512n
    expect(failing('5f5f620100205f5f5f6064f1', 16n + 3000n)).toEqual([1, 2600n + growth + 100n, OUT])
  })

  test('a creation costs its own price, without the gas passed to it', () => {
    const { tracer, steps } = recorder()
    machine({ code: '60405f5ff000', tracer }).call()
    // Two words of memory, two words of init code.
    expect(steps.find(({ text }) => text.includes(' CREATE '))!.cost).toBe(32_000n + 6n + 4n)
    expect(failing('60405f5ff0', 7n + 31_999n)).toEqual([1, 32_000n, OUT])
    expect(failing('60405f5ff0', 7n + 32_009n)).toEqual([1, 32_010n, OUT])
    const size = 'out of gas: max initcode size exceeded: size 49153'
    expect(failing('61c0015f5ff0', 1_000_000n)).toEqual([1, 32_000n, size])
  })

  test('numbers beyond 64 bits overflow as in geth', () => {
    const large = `7f${'ff'.repeat(32)}`
    expect(failing(`5f${large}52`, 1000n)).toEqual([1, 3n, 'gas uint64 overflow'])
    expect(failing(`${large}5fa0`, 1000n)).toEqual([1, 0n, 'gas uint64 overflow'])
    expect(failing('643fffffffff51', 1000n)).toEqual([1, 3n, 'out of gas: gas uint64 overflow'])
  })
})

describe('a step that began and ended its frame', () => {
  test('keeps its cost', () => {
    expect(failing('60ff56', 1000n)).toEqual([2, 8n, 'invalid jump destination'])
    expect(failing('600160ff57', 1000n)).toEqual([2, 10n, 'invalid jump destination'])
    expect(failing('60015f5f3e', 1000n)).toEqual([2, 3n + 3n + 3n, 'return data out of bounds'])
    expect(failing('60205ffd', 1000n)).toEqual([2, 3n, 'execution reverted'])
    expect(failing('fe', 1000n)).toEqual([2, 0n, 'invalid opcode: INVALID'])
    expect(failing('0c', 1000n)).toEqual([2, 0n, 'invalid opcode: opcode 0xc not defined'])
  })

  test('a step that ended its frame is priced in full in a static frame', () => {
    const error = 'write protection'
    expect(failing('60015f55', 100_000n, { isStatic: true })).toEqual([2, 22_100n, error])
    expect(failing('60405fa0', 100_000n, { isStatic: true })).toEqual([2, 375n + 512n + 6n, error])
    expect(failing('60405f5ff0', 100_000n, { isStatic: true })).toEqual([2, 32_010n, error])
    expect(failing('60015f5d', 100_000n, { isStatic: true })).toEqual([2, 100n, error])
    expect(failing('5fff', 100_000n, { isStatic: true })).toEqual([2, 5000n + 2600n + 25_000n, error])
    expect(failing('5f5f5f5f60015f5ff1', 100_000n, { isStatic: true })).toEqual([2, 2600n + 9000n + 25_000n, error])
  })

  test('did not begin if the stack was wrong, and reports its constant part', () => {
    expect(failing('01', 1000n)).toEqual([1, 3n, 'stack underflow (0 <=> 2)'])
    expect(failing('a0', 1000n)).toEqual([1, 0n, 'stack underflow (0 <=> 2)'])
    expect(failing('31', 1000n)).toEqual([1, 100n, 'stack underflow (0 <=> 1)'])
    expect(failing('5b5f600056', 20_000n)).toEqual([1, 3n, 'stack limit reached 1024 (1023)'])
  })
})
