import { expect, test } from 'vitest'
import { CALLER, CONTRACT, OTHER } from '../../../test/support/evm/machine.ts'
import { BASE_FEE, COINBASE, FUNDS, GAS_PRICE, traced, traceText } from '../../../test/support/evm/traced.ts'
import { decodeUint, formatHex, formatHex0x, hex, ZERO_ADDRESS } from '../../primitives/bytes.ts'
import { keccak256 } from '../../primitives/hash.ts'
import { createAddress } from '../contract-address.ts'
import { authorizationHash } from '../transaction/encode.ts'
import { secp256k1 } from '../transaction/secp256k1.ts'
import { addressOfPrivateKey } from '../transaction/sender.ts'

interface Account {
  readonly balance?: string
  readonly nonce?: number
  readonly code?: string
  readonly codeHash?: string
  readonly storage?: Readonly<Record<string, string>>
}
type State = Readonly<Record<string, Account>>
interface Difference {
  readonly pre: State
  readonly post: State
}

const run = (world: Parameters<typeof traced>[1], config?: object) => traced('prestateTracer', world, config) as State
const difference = (world: Parameters<typeof traced>[1], config?: object) =>
  traced('prestateTracer', world, { diffMode: true, ...config }) as Difference
const [caller, contract, other, coinbase] = [CALLER, CONTRACT, OTHER, COINBASE].map(formatHex0x) as [
  string,
  string,
  string,
  string,
]
const OTHER_HEX = formatHex(OTHER)
const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`
const quantity = (value: bigint): string => `0x${value.toString(16)}`
const hashOf = (code: string): string => formatHex0x(keccak256(hex(code)))

test('accounts are shown before value, fee and nonce change; accounts that did not exist are omitted', () => {
  const code = '60015450600860025500'
  expect(run({ code, storage: { 1: 5 }, valueWei: 7n })).toEqual({
    [caller]: { balance: quantity(FUNDS), nonce: 5 },
    [contract]: {
      balance: '0x3e8',
      nonce: 1,
      code: `0x${code}`,
      codeHash: hashOf(code),
      storage: { [word(1)]: word(5), [word(2)]: word(0) },
    },
  })
})

test('every existing account that an opcode reads is shown', () => {
  for (const opcode of ['31', '3b', '3f']) {
    expect(run({ code: `73${OTHER_HEX}${opcode}00`, other: '00' })).toHaveProperty(other)
  }
  expect(run({ code: `5f5f5f73${OTHER_HEX}3c00`, other: '00' })).toHaveProperty(other)
  expect(run({ code: `73${OTHER_HEX}ff`, other: '00' })).toHaveProperty(other)
  expect(run({ code: `5f5f5f5f73${OTHER_HEX}5ffa00`, other: '00' })).toHaveProperty(other)
  expect(run({ code: '00', other: '00' })).not.toHaveProperty(other)
})

test('an opcode without enough gas reads no account', () => {
  // 2,599 gas are left for BALANCE of a cold account: one too few.
  const gasLimit = (spare: bigint) => 21_000n + 3n + spare
  const world = { code: `73${OTHER_HEX}31`, other: '00' }
  expect(run({ ...world, gasLimit: gasLimit(2599n) })).not.toHaveProperty(other)
  expect(run({ ...world, gasLimit: gasLimit(2600n) })).toHaveProperty(other)
})

test('a difference has the changed values before and after', () => {
  // Slot 1 from 5 to 0, slot 2 from 0 to 8, slot 3 read only, slot 4 written and restored.
  const code = '60006001556008600255600354506001600455600060045500'
  const { pre, post } = difference({ code, storage: { 1: 5, 3: 6 }, valueWei: 7n })
  expect(pre[contract]).toEqual({
    balance: '0x3e8',
    nonce: 1,
    code: `0x${code}`,
    codeHash: hashOf(code),
    storage: { [word(1)]: word(5) },
  })
  expect(post[contract]).toEqual({ balance: '0x3ef', storage: { [word(2)]: word(8) } })
  expect(pre[caller]).toEqual({ balance: quantity(FUNDS), nonce: 5 })
  expect(post[caller]!.nonce).toBe(6)
  const spent = FUNDS - BigInt(post[caller]!.balance!) - 7n
  expect(BigInt(post[coinbase]!.balance!)).toBe((spent / GAS_PRICE) * (GAS_PRICE - BASE_FEE))
  expect(pre).not.toHaveProperty(coinbase)
})

test('a created contract is only in the difference after', () => {
  const created = formatHex0x(createAddress(CALLER, 5n))
  // Deploys one byte, STOP.
  const { pre, post } = difference({ creates: true, data: hex('60015ff3') })
  expect(pre).not.toHaveProperty(created)
  expect(post[created]).toEqual({ nonce: 1, code: '0x00', codeHash: hashOf('00') })
})

test('a destructed contract is only in the difference before; from Cancun on it stays, without its balance', () => {
  const code = `73${OTHER_HEX}ff`
  const before = difference({ fork: 'Shanghai', code, other: '00' })
  expect(before.pre[contract]).toMatchObject({ balance: '0x3e8', nonce: 1 })
  expect(before.post).not.toHaveProperty(contract)
  const since = difference({ fork: 'Cancun', code, other: '00' })
  expect(since.post[contract]).toEqual({ balance: '0x0' })
  expect(since.post[other]).toEqual({ balance: '0x3e8' })
})

test('code and storage are omitted on request, and empty accounts included on request', () => {
  const world = { code: '60015450600860025500', storage: { 1: 5 } }
  const lean = run(world, { disableCode: true, disableStorage: true })
  expect(lean[contract]).toEqual({ balance: '0x3e8', nonce: 1, codeHash: hashOf(world.code) })
  expect(run(world, { includeEmpty: true })[coinbase]).toEqual({ balance: '0x0' })
  expect(() => traceText('prestateTracer', world, { includeEmpty: true, diffMode: true })).toThrow(
    'cannot use diffMode with includeEmpty',
  )
  const changed = difference(world, { disableStorage: true })
  expect(changed.post).not.toHaveProperty(contract)
})

test('a delegation that an authorization removes is empty code after the transaction', () => {
  const key = hex('22'.repeat(32))
  const authority = addressOfPrivateKey(key)
  const unsigned = { chainId: 6930n, address: ZERO_ADDRESS, nonce: 1n, r: 0n, s: 0n, yParity: 0 }
  const { bytes, yParity } = secp256k1.sign(authorizationHash(unsigned), key)
  const signed = { ...unsigned, r: decodeUint(bytes.subarray(0, 32)), s: decodeUint(bytes.subarray(32)), yParity }
  const world = {
    code: '00',
    authorizations: [signed],
    accounts: [[authority, `ef0100${OTHER_HEX}`]] as const,
  }
  const address = formatHex0x(authority)
  const { pre, post } = difference(world)
  expect(pre[address]).toEqual({
    balance: '0x0',
    nonce: 1,
    code: `0xef0100${OTHER_HEX}`,
    codeHash: hashOf(`ef0100${OTHER_HEX}`),
  })
  expect(post[address]).toEqual({ nonce: 2, code: '0x', codeHash: word(0) })
  expect(difference(world, { disableCode: true }).post[address]).toEqual({ nonce: 2, codeHash: word(0) })
})
