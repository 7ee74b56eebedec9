import { expect, test } from 'vitest'
import { GAS, machine, push, type Setup } from '../../test/support/evm/machine.ts'

const WORDS = [0n, 1n, 33n, (1n << 64n) - 1n, 1n << 64n, (1n << 128n) - 2n, (1n << 255n) + 5n, (1n << 256n) - 1n]
/** Sequences that the plain build runs as one opcode (`fuse` in evm/analysis.ts); the traced build never does. */
const SEQUENCES = [
  '60ff8101',
  '60ff8201',
  '6020810151',
  '60001b',
  '60401b',
  '60ff1b',
  '60001c',
  '60411c',
  '60ff1c',
  '60001d',
  '60811d',
  '60ff1d',
  '600101',
  '60ff01',
  '6001600160001b03',
  '6001600160a01b03',
  '6001600160ff1b03',
  '6002600160a01b03',
  '604051',
  ...['01', '02', '03', '10', '11', '14', '16'].flatMap((op) => [`80${op}`, `81${op}`, `82${op}`]),
  '8051',
  '8251',
  '8181',
  '8082',
  '9050',
  '9150',
  '9003',
  '9190',
  '9092',
  '5050',
  '9050905090',
]
/** Ends: the whole stack of four words into memory, and out. */
const OUT = '5f5260205260405260605260805ff3'

function both(code: string, setup: Omit<Setup, 'code'> = {}, gas = GAS) {
  const plain = machine({ ...setup, code }).call({ gas })
  const traced = machine({ ...setup, code, tracer: {} }).call({ gas })
  return { plain, traced }
}

test('fused sequences have the results of their opcodes at every pair of edge values', () => {
  for (const sequence of SEQUENCES) {
    for (const a of WORDS) {
      for (const b of WORDS) {
        const { plain, traced } = both(`${push(7n, 9n, 11n, 13n, b, a)}${sequence}${OUT}`)
        expect({ sequence, a, b, ...plain }).toEqual({ sequence, a, b, ...traced })
      }
    }
  }
})

test('fused jumps reach the targets of plain jumps, with the same gas', () => {
  for (const word of [0n, 1n, 1n << 200n]) {
    for (const test of ['61002b57', '15', '1461002c57']) {
      for (const code of [
        `${push(word)}60275700fefefe5b6001`,
        `${push(word)}61002857 00fefe5b6001`.replace(' ', ''),
        `${push(word)}15610029 57 00fefe5b6001`.replaceAll(' ', ''),
        `${push(word)}600114 61002c57 00fefefefe5b6001`.replaceAll(' ', ''),
        `${push(word)}602656fefefe5b6001`,
        `${push(word)}61002756fefefe5b6001`,
        `${push(word)}${test}`,
      ]) {
        for (const gas of [GAS, 20n, 25n, 27n]) {
          const { plain, traced } = both(code, {}, gas)
          expect({ code, gas, ...plain }).toEqual({ code, gas, ...traced })
        }
      }
    }
  }
})

test('code that reads itself sees the deployed bytes, not the fused copy', () => {
  const whole = machine({ code: '6001600160a01b0350385f5f39385ff3' }).call()
  expect(Buffer.from(whole.output).toString('hex')).toBe('6001600160a01b0350385f5f39385ff3')
})

test('a fused jump to a target without JUMPDEST is invalid', () => {
  for (const code of ['600356fe00', '61000556fe00', '6001600757fe0000', '600161000857fefe0000', '61ffff56', '60ff56']) {
    const { plain, traced } = both(code)
    expect(plain.error).toBe('invalid jump destination')
    expect(traced.error).toBe('invalid jump destination')
  }
})
