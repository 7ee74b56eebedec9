import { create, toBinary } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { beforeEach, describe, expect, test } from 'vitest'
import { BaseAccountSchema, ParamsSchema } from '../../gen/sdk/auth/v1beta1/auth_pb.ts'
import { formatBech32 } from '../../primitives/address.ts'
import { concat, encodeUint64, formatHex, hex, utf8 } from '../../primitives/bytes.ts'
import { EMPTY_CODE_HASH, keccak256 } from '../../primitives/hash.ts'
import { governance } from '../../sdk/authority.ts'
import type { BranchedContext } from '../../sdk/context.ts'
import { defineModule } from '../../sdk/module.ts'
import { moduleAccount } from '../../sdk/module-account.ts'
import { testContext } from '../../sdk/testing.ts'
import type { Account } from './account.ts'
import { accountAny, baseAccount, decodeAccount, encodeAccount } from './account-codec.ts'
import { genesis } from './genesis.ts'
import { auth as module } from './index.ts'
import * as auth from './keeper.ts'
import { messages } from './messages.ts'
import { defaultParams } from './params.ts'
import { queries } from './queries.ts'

const alice = hex('026408260f38d3c43b26f36952ff38ecbaa88692')
const aliceText = 'chain1qfjqsfs08rfugwex7d549lecaja23p5jcejn57'
const ethAlice = hex('029fd89ee90c50d2eb01feae57cbabcb97db0d9a')
const keyValue = hex('0a21028768753c35e03391bd60988496c8239e533acb21f60046036d098fa21bf30eb3')

let ctx: BranchedContext
beforeEach(() => {
  ctx = testContext({ modules: [module] })
})

const account = (part: Partial<Account>): Account => ({
  kind: 'eth',
  address: alice,
  addressText: formatBech32('chain', part.address ?? alice),
  publicKey: undefined,
  number: 0n,
  sequence: 0n,
  codeHash: EMPTY_CODE_HASH,
  ...part,
})

// Entries of the reference chain's state under neutral names.
const stored = [
  {
    name: 'an account with an Ethereum key',
    value: account({
      address: ethAlice,
      publicKey: { typeUrl: '/chain.crypto.v1.ethsecp256k1.PubKey', value: keyValue },
      number: 7n,
      sequence: 5n,
    }),
    bytes:
      '0a1a2f636861696e2e74797065732e76312e4574684163636f756e7412c5010a7f0a2c636861696e31713230613338686670336764393663706c366839306a6174657774616b727636306a68747565124b0a242f636861696e2e63727970746f2e76312e657468736563703235366b312e5075624b657912230a21028768753c35e03391bd60988496c8239e533acb21f60046036d098fa21bf30eb3180720051242307863356432343630313836663732333363393237653764623264636337303363306535303062363533636138323237336237626661643830343564383561343730',
  },
  {
    name: 'a contract',
    value: account({
      address: hex('aef9437ff23d48d73271a41a8a094dec9ac71477'),
      number: 8n,
      sequence: 1n,
      codeHash: keccak256(hex('6001600055')),
    }),
    bytes:
      '0a1a2f636861696e2e74797065732e76312e4574684163636f756e7412780a320a2c636861696e31346d7535786c6c6a3834796477766e3335736467357a3264616a647677397268753078666737180820011242307837656663636534373032386461626362306434326633613765646138383230626636663766346536313833393863323534376435326637303363616662303733',
  },
]

describe('stored accounts are the bytes of the chain', () => {
  test.each(stored)('$name', ({ value, bytes }) => {
    expect(formatHex(encodeAccount(ctx.identity, value))).toBe(bytes)
    expect(decodeAccount(ctx.identity, value.address, hex(bytes))).toEqual(value)
  })

  test('the fast writer agrees with the general one for numbers of every length', () => {
    const wide = [(1n << 53n) - 1n, 1n << 53n, (1n << 63n) - 1n, (1n << 64n) - 2n]
    for (const number of [0n, 1n, 127n, 128n, 16_383n, 16_384n, 1n << 35n, (1n << 49n) - 1n, ...wide]) {
      const value = account({ number, sequence: number + 1n })
      const { typeUrl, value: message } = accountAny(ctx.identity, value)
      const quick = encodeAccount(ctx.identity, value)
      expect(formatHex(quick)).toContain(formatHex(utf8(typeUrl)) + formatHex(Uint8Array.of(0x12)))
      expect(formatHex(quick).endsWith(formatHex(message))).toBe(true)
      expect(decodeAccount(ctx.identity, alice, quick)).toEqual(value)
    }
  })

  test('every other kind of account reads back unchanged', () => {
    const coins = [{ denom: 'unative', amount: 100n }]
    const books = { original: coins, delegatedFree: [], delegatedVesting: coins, endTime: 20n }
    const kinds: Account[] = [
      account({ kind: 'base', number: 3n }),
      account({ kind: 'module', module: { name: 'evm', permissions: ['minter', 'burner'] } }),
      account({ kind: 'vesting', vesting: { ...books, schedule: { kind: 'continuous', startTime: 10n } } }),
      account({ kind: 'vesting', vesting: { ...books, schedule: { kind: 'delayed' } } }),
      account({ kind: 'vesting', vesting: { ...books, schedule: { kind: 'permanent' } } }),
      account({
        kind: 'vesting',
        vesting: { ...books, schedule: { kind: 'periodic', startTime: 1n, periods: [{ length: 5n, amount: coins }] } },
      }),
    ]
    for (const value of kinds) {
      expect(decodeAccount(ctx.identity, alice, encodeAccount(ctx.identity, value))).toEqual(value)
    }
  })

  test('an account whose address an earlier build stored in upper case reads back in lower case', () => {
    for (const value of [account({ number: 3n }), account({ kind: 'base', number: 3n })]) {
      const stored = encodeAccount(ctx.identity, { ...value, addressText: value.addressText.toUpperCase() })
      expect(decodeAccount(ctx.identity, alice, stored)).toEqual(value)
    }
  })
})

test('queries show the base account of an EthAccount', () => {
  const value = account({
    publicKey: { typeUrl: '/sdk.crypto.secp256k1.PubKey', value: keyValue },
    number: 7n,
    sequence: 3n,
  })
  expect(formatHex(toBinary(BaseAccountSchema, baseAccount(value)))).toBe(
    '0a2c636861696e3171666a7173667330387266756777657837643534396c6563616a61323370356a63656a6e353712430a1c2f73646b2e63727970746f2e736563703235366b312e5075624b657912230a21028768753c35e03391bd60988496c8239e533acb21f60046036d098fa21bf30eb318072003',
  )
  auth.setAccount(ctx, value)
  const { account: shown } = queries.account(ctx, { address: aliceText })
  expect(shown!.typeUrl).toBe('/cosmos.auth.v1beta1.BaseAccount')
  expect(queries.accountInfo(ctx, { address: aliceText }).info).toMatchObject({ accountNumber: 7n, sequence: 3n })
})

test('an account write also writes the entry of its number', () => {
  auth.setAccount(ctx, account({ number: 7n }))
  const keys = ctx.branchStore.changes().map(({ store, key }) => `${store} ${formatHex(key)}`)
  expect(keys).toEqual([
    'acc 01026408260f38d3c43b26f36952ff38ecbaa88692',
    'acc 6163636f756e744e756d6265720000000000000007',
  ])
})

test('every account number is allocated once, and the next one is stored', () => {
  expect(auth.ensureAccount(ctx, alice).number).toBe(0n)
  expect(auth.ensureAccount(ctx, ethAlice).number).toBe(1n)
  expect(auth.ensureAccount(ctx, alice).number).toBe(0n)
  expect(ctx.store.get('acc', utf8('globalAccountNumber'))).toEqual(hex('0802'))
  expect(auth.ensureModuleAccount(ctx, auth.feeCollector)).toMatchObject({ kind: 'module', number: 2n })
})

test('default parameters have the expected bytes, and only governance changes them', () => {
  expect(formatHex(toBinary(ParamsSchema, defaultParams()))).toBe('0880021007180a20ce0428e807')
  const params = { ...defaultParams(), txSigLimit: 3n }
  expect(() => messages.updateParams(ctx, { authority: aliceText, params })).toThrow('expected gov account')
  const authority = formatBech32('chain', governance)
  messages.updateParams(ctx, { authority, params })
  expect(queries.params(ctx, {}).params!.txSigLimit).toBe(3n)
  expect(() => messages.updateParams(ctx, { authority, params: { ...params, txSigLimit: 0n } })).toThrow(
    'invalid tx signature limit',
  )
})

describe('a query that finds nothing names the reason', () => {
  const status = (name: string) => expect.objectContaining({ status: name })
  test('an empty address', () => {
    expect(() => queries.account(ctx, { address: '' })).toThrow('Address cannot be empty')
    expect(() => queries.accountInfo(ctx, { address: '' })).toThrow('address cannot be empty')
  })
  test('a malformed address', () => {
    expect(() => queries.account(ctx, { address: 'chain1xyz' })).toThrow(status('invalidArgument'))
  })
  test('an account that does not exist', () => {
    expect(() => queries.account(ctx, { address: aliceText })).toThrow(status('notFound'))
    expect(() => queries.account(ctx, { address: aliceText })).toThrow(`account ${aliceText} not found`)
    expect(() => queries.moduleAccountByName(ctx, { name: 'nobody' })).toThrow('account nobody not found')
    expect(() => queries.accountAddressByID(ctx, { id: 9n })).toThrow('account address not found with account number 9')
  })
})

test('an address is found by its account number, in the path or in the query', () => {
  auth.setAccount(ctx, account({ number: 7n }))
  expect(queries.accountAddressByID(ctx, { id: 7n }).accountAddress).toBe(aliceText)
  expect(queries.accountAddressByID(ctx, { id: 0n, accountId: 7n }).accountAddress).toBe(aliceText)
})

test('accounts are paged by address', () => {
  for (let i = 0n; i < 5n; i++) auth.ensureAccount(ctx, encodeUint64(i))
  const first = queries.accounts(ctx, { pagination: { limit: 2n, countTotal: true } })
  expect(first.accounts).toHaveLength(2)
  expect(first.pagination!.total).toBe(5n)
  const second = queries.accounts(ctx, { pagination: { key: first.pagination!.nextKey, limit: 9n } })
  expect(second.accounts).toHaveLength(3)
  expect(second.pagination!.nextKey).toHaveLength(0)
})

test('an account of a kind that only another build has keeps its bytes, and its base account is read', () => {
  const field = (bytes: Uint8Array) => concat(Uint8Array.of(0x0a, bytes.length), bytes)
  const base = toBinary(BaseAccountSchema, create(BaseAccountSchema, { address: aliceText, sequence: 5n }))
  const { store, key } = auth.accountStoreKey(alice)
  for (const value of [field(base), field(field(base))]) {
    const any = { typeUrl: '/foreign.v1.Account', value }
    const encoded = toBinary(AnySchema, create(AnySchema, any))
    ctx.store.set(store, key, encoded)
    const found = auth.getAccount(ctx, alice)!
    expect(found).toMatchObject({ kind: 'other', sequence: 5n })
    expect(queries.account(ctx, { address: aliceText }).account).toMatchObject(any)
    auth.setAccount(ctx, found)
    expect(ctx.store.get(store, key)).toEqual(encoded)
    expect(() => auth.incrementSequence(ctx, found)).toThrow('it writes the account')
  }
  // The base account of another address is none of this one.
  const other = toBinary(AnySchema, create(AnySchema, { typeUrl: '/foreign.v1.Account', value: field(base) }))
  ctx.store.set(store, auth.accountStoreKey(encodeUint64(1n)).key, other)
  expect(() => auth.getAccount(ctx, encodeUint64(1n))).toThrow('account type /foreign.v1.Account')
})

test('addresses convert in both directions', () => {
  expect(queries.addressBytesToString(ctx, { addressBytes: alice }).addressString).toBe(aliceText)
  expect(queries.addressStringToBytes(ctx, { addressString: aliceText }).addressBytes).toEqual(alice)
  expect(queries.bech32Prefix(ctx, {}).bech32Prefix).toBe('chain')
})

test('a genesis with two accounts of one address is refused', () => {
  const one = {
    '@type': '/cosmos.auth.v1beta1.BaseAccount',
    address: aliceText,
    pub_key: null,
    account_number: '0',
    sequence: '0',
  }
  expect(() => genesis.init(ctx, { accounts: [one, { ...one, account_number: '1' }] })).toThrow('duplicate account')
})

test('genesis preserves account numbers and gaps, and reassigns a number that occurs twice', () => {
  const entry = (byte: number, number: string) => ({
    '@type': '/cosmos.auth.v1beta1.BaseAccount',
    address: formatBech32('chain', new Uint8Array(20).fill(byte)),
    pub_key: null,
    account_number: number,
    sequence: '0',
  })
  const params = genesis.defaults(ctx) as { params: never }
  genesis.init(ctx, { ...params, accounts: [entry(3, '7'), entry(1, '0'), entry(9, '0'), entry(2, '1')] })
  const numberOf = (byte: number) => auth.getAccount(ctx, new Uint8Array(20).fill(byte))!.number
  expect([numberOf(3), numberOf(1), numberOf(9), numberOf(2)]).toEqual([7n, 0n, 2n, 1n])
  expect(auth.newAccount(ctx, alice).number).toBe(9n)
})

test('the account at a module’s address is the module’s, in whatever way it began', () => {
  const later = moduleAccount('later', 'burner')
  const withModule = testContext({ modules: [defineModule({ name: 'later', accounts: [later] })] })
  const own = { name: 'later', permissions: ['burner'] }
  expect(auth.ensureAccount(withModule.branch(), later.address)).toMatchObject({ kind: 'module', module: own })
  // An account from before the chain had the module: a coin had reached the address.
  auth.setAccount(withModule, account({ address: later.address, number: 4n }))
  expect(auth.ensureModuleAccount(withModule, later)).toMatchObject({ kind: 'module', module: own, number: 4n })
  expect(auth.getAccount(withModule, later.address)).toMatchObject({ kind: 'module', module: own, number: 4n })
})
