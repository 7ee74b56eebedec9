import { expect, test } from 'vitest'
import { identityOf } from '../../identity/profiles.ts'
import { formatHex0x, hex, utf8 } from '../../primitives/bytes.ts'
import { EMPTY_CODE_HASH, keccak256 } from '../../primitives/hash.ts'
import type { Context } from '../../sdk/context.ts'
import { testContext } from '../../sdk/testing.ts'
import * as auth from '../auth/keeper.ts'
import { localnetGenesis } from './development/localnet.ts'
import { idOf } from './funtoken/mappings.ts'
import { genesis } from './genesis.ts'
import { evm } from './index.ts'
import * as keeper from './keeper.ts'
import { messages } from './messages.ts'
import { queries } from './queries.ts'

const A = `0x${'12'.repeat(20)}`
const WORD = `0x${'0'.repeat(63)}1`

function init(state: Record<string, unknown>, prepare: (ctx: Context) => void = () => {}): Context {
  const ctx = testContext({ modules: [evm], block: { gasLimit: 60_000_000n } })
  prepare(ctx)
  genesis.init(ctx, { ...(genesis.defaults(ctx) as object), ...state } as never)
  return ctx
}

const account = (fields: object) => ({ accounts: [{ address: A, code: '00', storage: [], ...fields }] })

test('an export returns the imported genesis', () => {
  const ctx = testContext({ modules: [evm] })
  const given = localnetGenesis(ctx, { fork: 'Cancun' })
  genesis.init(ctx, given)
  const exported = genesis.export(ctx)
  const again = testContext({ modules: [evm] })
  genesis.init(again, exported)
  expect(genesis.export(again)).toEqual(exported)
  expect((exported as { chain_config: unknown }).chain_config).toMatchObject({ fork: 'Cancun', chain_id: '0' })
  expect((exported as { accounts: unknown[] }).accounts).toHaveLength(4)
})

test('only the later release of the reference has the singleton factory in its default genesis', () => {
  const factory = hex('ce0042b868300000d44a59004da54a005ffdcf9f')
  const codeHashOf = (profile: string) => {
    const ctx = testContext({ identity: identityOf(profile), modules: [evm], block: { gasLimit: 60_000_000n } })
    genesis.init(ctx, genesis.defaults(ctx))
    return formatHex0x(auth.getAccount(ctx, factory)?.codeHash ?? EMPTY_CODE_HASH)
  }
  // The code hash on the reference chain.
  const spec = '0xc4d5542b53a8b779595a20a8ddd60e58a6c49d3c3decc2df83ced1c69c8ca807'
  const none = formatHex0x(EMPTY_CODE_HASH)
  expect(['almanac', 'nibiru', 'nibiru@2.17'].map(codeHashOf)).toEqual([none, none, spec])
})

test('a contract’s account must have the hash of its code, and a missing account is created', () => {
  const made = init(account({ code: '6001', storage: [{ key: WORD, value: WORD }] }))
  expect(auth.getAccount(made, hex(A))).toMatchObject({ kind: 'eth', codeHash: keccak256(hex('6001')) })
  expect(formatHex0x(keeper.storage(made, hex(A), hex(WORD)))).toBe(WORD)
  const known = (ctx: Context) => auth.setAccount(ctx, { ...auth.newAccount(ctx, hex(A)), codeHash: EMPTY_CODE_HASH })
  expect(() => init(account({ code: '6001' }), known)).toThrow('its code has')
})

test('an export keeps the storage of an account whose delegation was cleared', () => {
  const made = init({ accounts: [{ address: A, code: '', storage: [{ key: WORD, value: WORD }] }] })
  expect(auth.getAccount(made, hex(A))).toMatchObject({ codeHash: EMPTY_CODE_HASH, sequence: 0n })
  const again = testContext({ modules: [evm], block: { gasLimit: 60_000_000n } })
  genesis.init(again, genesis.export(made))
  expect(formatHex0x(keeper.storage(again, hex(A), hex(WORD)))).toBe(WORD)
})

test('the error of an invalid genesis names the entry', () => {
  expect(() => init(account({ address: 'xyz' }))).toThrow('genesis account "xyz" is not an address')
  expect(() => init(account({ code: 'zz' }))).toThrow('is not hexadecimal')
  const twice = [
    { key: WORD, value: WORD },
    { key: WORD, value: WORD },
  ]
  expect(() => init(account({ storage: twice }))).toThrow('duplicate storage key')
  expect(() => init({ accounts: [account({}).accounts[0], account({}).accounts[0]] })).toThrow(
    'duplicate genesis account',
  )
  const mapping = { erc20_addr: A, bank_denom: 'ufoo', is_made_from_coin: true }
  expect(() => init({ funtoken_mappings: [mapping, { ...mapping, bank_denom: 'ubar' }] })).toThrow(
    /funtoken_mappings\[1\]: 0x12\w+ is already mapped to ufoo/,
  )
  expect(() => init({ chain_config: { fork: 'Frontier' } })).toThrow('fork "Frontier" is not one of Berlin')
  const params = { extra_eips: ['1153', '1153'], evm_channels: [], create_funtoken_fee: '1', canonical_wnative: A }
  expect(() => init({ params })).toThrow('duplicate EIP: 1153')
  expect(() => init({ params: { ...params, extra_eips: ['1'] } })).toThrow('EIP 1 is not activateable')
  expect(() => init({ params: { ...params, extra_eips: [], canonical_wnative: `0x${'00'.repeat(20)}` } })).toThrow(
    'canonical_wnative cannot be the zero address',
  )
})

// PUSH0 PUSH0 MSTORE PUSH1 32 PUSH0 RETURN
const PUSH0 = hex('5f5f5260205ff3')
const call = (ctx: Context) => queries.ethCall(ctx, { args: utf8(JSON.stringify({ to: A })) }).vmError

test('the fork of the genesis determines the opcodes, and extra EIPs add to them', () => {
  const code = formatHex0x(PUSH0).slice(2)
  expect(call(init(account({ code })))).toBe('')
  expect(call(init({ ...account({ code }), chain_config: { fork: 'London' } }))).toContain('invalid opcode')
  const params = { extra_eips: ['3855'], evm_channels: [], create_funtoken_fee: '1', canonical_wnative: A }
  expect(call(init({ ...account({ code }), params, chain_config: { fork: 'London' } }))).toBe('')
})

test('only the authority changes parameters, and only to valid values', () => {
  const ctx = init({})
  const params = { extraEips: [], evmChannels: ['channel-0'], createFuntokenFee: '5', canonicalWnative: hex(A) }
  expect(() =>
    messages.updateParams(ctx, { authority: 'chain1t2htvpfl862vnwdqnuekd9p4ulh3h6hdz42v2g', params }),
  ).toThrow('unauthorized')
  expect(keeper.params(ctx).createFuntokenFee).toBe('10000000000')
})

test('the id of a mapping matches the reference’s', () => {
  // A recorded id of the reference chain.
  expect(formatHex0x(idOf(hex('aef9437ff23d48d73271a41a8a094dec9ac71477'), 'unative'))).toBe(
    '0x5b4f2ed0bcd28eea52f2d1d85a77aaded3c013e00fdc59f92537dfe0c6fa72ee',
  )
})
