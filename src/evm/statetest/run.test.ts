import { expect, test } from 'vitest'
import { formatHex0x, hex } from '../../primitives/bytes.ts'
import { encodeTransaction } from '../transaction/encode.ts'
import { addressOfPrivateKey, signTransaction } from '../transaction/sender.ts'
import { type Json, parseFixtures } from './fixture.ts'
import { runFixture } from './run.ts'

const NO_LOGS = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347'
const secretKey = `0x${'45'.repeat(32)}`
const sender = formatHex0x(addressOfPrivateKey(hex(secretKey)))
const target = `0x${'11'.repeat(20)}`

/** Returns a test with two variants of value and one of gas; the second variant costs more than the sender has. */
function file(entries: Json): Json {
  return {
    transfer: {
      env: {
        currentCoinbase: `0x${'c0'.repeat(20)}`,
        currentDifficulty: '0x20000',
        currentGasLimit: '0x1000000',
        currentNumber: '0x1',
        currentTimestamp: '0x3e8',
        currentBaseFee: '0x0a',
      },
      pre: { [sender]: { nonce: '0x00', balance: '0x100000', code: '0x', storage: { '0x01': '0x02' } } },
      transaction: {
        nonce: '0x00',
        gasPrice: '0x0a',
        gasLimit: ['0x5208'],
        to: target,
        value: ['0x05', '0x0fffff'],
        data: ['0x'],
        secretKey,
      },
      post: { London: entries, Shanghai: entries },
    },
  }
}

const choose = (value: number): Json => ({ indexes: { data: 0, gas: 0, value } })
const run = (json: Json, fork: 'London' | 'Cancun' = 'London') =>
  parseFixtures(json).flatMap((fixture) => [...runFixture(fixture, fork)])

test('each entry of the fork runs its variant on a separate state', () => {
  const results = run(file([choose(0), choose(1), choose(0)]))
  expect(results.map(({ name, fork, index }) => [name, fork, index])).toEqual([
    ['transfer', 'London', 0],
    ['transfer', 'London', 1],
    ['transfer', 'London', 2],
  ])
  expect(results[0]).toMatchObject({ gasUsed: '0x5208', logsHash: NO_LOGS })
  expect(results[0]).not.toHaveProperty('error')
  expect(results[2]!.stateRoot).toBe(results[0]!.stateRoot)
  expect(results[1]).toMatchObject({ gasUsed: '0x0', logsHash: NO_LOGS })
  expect(results[1]!.error).toContain('insufficient funds for gas * price + value')
  expect(results[1]!.stateRoot).not.toBe(results[0]!.stateRoot)
})

test('signed bytes and their fields have the same result', () => {
  const transaction = signTransaction(
    {
      type: 0,
      chainId: 1n,
      nonce: 0n,
      gasPriceWei: 10n,
      gasLimit: 21_000n,
      to: hex(target),
      valueWei: 5n,
      data: new Uint8Array(0),
    },
    hex(secretKey),
  )
  const [fields, bytes] = run(file([choose(0), { txbytes: formatHex0x(encodeTransaction(transaction)) }]))
  expect(bytes!.stateRoot).toBe(fields!.stateRoot)
})

test('an invalid transaction is refused without failing the run', () => {
  const [result] = run(file([{ txbytes: '0x05' }]))
  expect(result!.error).toContain('malformed transaction')
})

test('a fork that the file lacks has no results, and a file without tests has no results', () => {
  expect(run(file([choose(0)]), 'Cancun')).toEqual([])
  expect(parseFixtures({ repo: 'x', files: 3 })).toEqual([])
  expect(parseFixtures([1, 2])).toEqual([])
})

test('an incomplete state test is named in the error', () => {
  expect(() => parseFixtures({ broken: { post: {}, transaction: {} } })).toThrow('broken: env, pre, transaction')
})
