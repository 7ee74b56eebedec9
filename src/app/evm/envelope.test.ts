/** The envelope of an Ethereum transaction has one encoding: any other bytes are refused in the pool and in blocks. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { rulesOf } from '../../evm/forks.ts'
import { authorizationHash, transactionHash } from '../../evm/transaction/encode.ts'
import { ownGas } from '../../evm/transaction/gas.ts'
import { SECP256K1_ORDER, secp256k1 } from '../../evm/transaction/secp256k1.ts'
import { addressOfPrivateKey, signTransaction } from '../../evm/transaction/sender.ts'
import {
  type Authorization,
  accessListOf,
  type Transaction,
  type UnsignedTransaction,
} from '../../evm/transaction/types.ts'
import {
  AccessListTxSchema,
  DynamicFeeTxSchema,
  type MsgEthereumTx,
  MsgEthereumTxSchema,
  SetCodeTxSchema,
} from '../../gen/chain/evm/v1/tx_pb.ts'
import {
  type AuthInfo,
  AuthInfoSchema,
  type TxBody,
  TxBodySchema,
  TxRawSchema,
} from '../../gen/sdk/tx/v1beta1/tx_pb.ts'
import { createIdentity } from '../../identity/identity.ts'
import { almanac } from '../../identity/profiles/almanac.ts'
import { nibiru } from '../../identity/profiles/nibiru.ts'
import type { Identity } from '../../identity/types.ts'
import * as evm from '../../modules/evm/keeper.ts'
import { concat, decodeUint, EMPTY, encodeUint, equal, formatHex, hex, utf8 } from '../../primitives/bytes.ts'
import { sha256 } from '../../primitives/hash.ts'
import { createEmptyBranch } from '../../store/branch.ts'
import { seeded } from '../../store/testing/backend-contract.ts'
import { requireBlock } from '../halt.ts'
import { localnetGenesis } from '../localnet.ts'
import { testApplication } from '../testing.ts'
import { wrapEthereumTx } from './envelope.ts'

const CHAIN_ID = 'almanac-localnet-1'
const BASE = 10n ** 12n
const KEY = sha256(utf8('envelope sender'))
const SENDER = addressOfPrivateKey(KEY)
const AUTHORITY_KEY = sha256(utf8('envelope authority'))
const OSAKA = rulesOf('Osaka')
const reference = createIdentity(nibiru)

function start(identity: Identity) {
  const app = testApplication({ identity })
  const genesis = localnetGenesis({
    identity,
    chainId: CHAIN_ID,
    genesisTime: '2024-01-01T00:00:00Z',
    accounts: [{ address: SENDER, balanceUnative: 10n ** 15n }],
    validators: [{ publicKey: sha256(utf8('envelope validator')) }],
  })
  const state = createEmptyBranch()
  app.initChain(genesis, state)
  const facts = {
    height: 1n,
    timeNs: 1_704_067_201_000_000_000n,
    proposer: EMPTY,
    hash: sha256(EMPTY),
    lastCommitHash: EMPTY,
  }
  return {
    check(bytes: Uint8Array, mode: 'check' | 'simulate' = 'check') {
      app.resetCheckState(state, { height: 0n, timeNs: facts.timeNs - 1n })
      return app.check(bytes, mode)
    },
    /** Executes one block on the same state, and returns its results and the nonce of the sender after it. */
    execute(txs: readonly Uint8Array[]) {
      const { results, branch } = requireBlock(
        app.executeBlock(state, { ...facts, txs, lastCommitVotes: [], evidence: [] }),
      )
      return { results, nonce: evm.nonce(app.readContext(branch, facts), SENDER) }
    },
  }
}

type Chain = ReturnType<typeof start>

/** Expects that the pool, a simulation and a block refuse all of the bytes, and that the block then takes the original. */
function expectRefused(chain: Chain, wrongs: readonly (readonly [string, Uint8Array])[], original: Uint8Array): void {
  const passed = wrongs.filter(
    ([, bytes]) => chain.check(bytes).code === 0 || chain.check(bytes, 'simulate').code === 0,
  )
  expect(passed.map(([name]) => name)).toEqual([])
  const { results, nonce } = chain.execute([...wrongs.map(([, bytes]) => bytes), original.slice()])
  expect(wrongs.filter((_, i) => results[i]!.code === 0).map(([name]) => name)).toEqual([])
  expect([results.at(-1)!.code, results.at(-1)!.log !== '', nonce]).toEqual([0, true, 1n])
}

function authorization(chainId: bigint, nonce: bigint): Authorization {
  const unsigned = { chainId, address: encodeUint(0xc0ffeen, 20), nonce, yParity: 0, r: 0n, s: 0n }
  const { bytes, yParity } = secp256k1.sign(authorizationHash(unsigned), AUTHORITY_KEY)
  return { ...unsigned, yParity, r: decodeUint(bytes.subarray(0, 32)), s: decodeUint(bytes.subarray(32)) }
}

/** Returns a random transaction of a type that is valid as the first of its sender. */
function randomTransaction(below: (limit: number) => number, type: 0 | 1 | 2 | 4): Transaction {
  const bytes = (length: number) => Uint8Array.from({ length }, () => (below(3) === 0 ? 0 : below(256)))
  const accessList = Array.from({ length: below(3) }, () => ({
    address: bytes(20),
    storageKeys: Array.from({ length: below(3) }, () => bytes(32)),
  }))
  const authorizations = Array.from({ length: 1 + below(2) }, (_, i) =>
    authorization(BigInt(below(2)) * 6930n, BigInt(i)),
  )
  const common = {
    chainId: 6930n,
    nonce: 0n,
    to: encodeUint(0xdead0000n + BigInt(below(1000)), 20),
    valueWei: BigInt(below(2)) * BigInt(below(10 ** 9)),
    data: bytes(below(40)),
  }
  const dynamic = {
    accessList,
    maxFeePerGasWei: BASE * 2n + BigInt(below(1000)),
    maxPriorityFeePerGasWei: BigInt(below(10 ** 9)),
  }
  const price = { gasPriceWei: BASE + BigInt(below(10 ** 9)) }
  const fields = {
    0: { ...common, type: 0, ...price },
    1: { ...common, type: 1, ...price, accessList },
    2: { ...common, type: 2, ...dynamic },
    4: { ...common, type: 4, ...dynamic, authorizations },
  }[type] as UnsignedTransaction
  const { intrinsic, floor } = ownGas({ ...fields }, OSAKA)
  return signTransaction({ ...fields, gasLimit: (intrinsic > floor ? intrinsic : floor) + BigInt(below(1000)) }, KEY)
}

const wrap = (identity: Identity, tx: Transaction): Uint8Array =>
  wrapEthereumTx(identity, tx, transactionHash(tx)).slice()

test.each([0, 1, 2, 4] as const)(
  'no byte around or inside a transaction of type %i can be changed, added or removed',
  (type) => {
    const below = seeded(100 + type)
    const chain = start(almanac)
    const bytes = wrap(almanac, randomTransaction(below, type))
    expect(chain.check(bytes).code).toBe(0)
    const wrongs: [string, Uint8Array][] = []
    for (let i = 0; i < bytes.length; i++) {
      const changed = bytes.slice()
      changed[i]! ^= 1 + below(255)
      wrongs.push([`change ${i}`, changed])
      if (i % 4 === 0)
        wrongs.push([`add ${i}`, concat(bytes.subarray(0, i), Uint8Array.of(below(256)), bytes.subarray(i))])
      if (i % 4 === 1) wrongs.push([`remove ${i}`, concat(bytes.subarray(0, i), bytes.subarray(i + 1))])
    }
    expectRefused(
      chain,
      wrongs.filter(([, wrong]) => !equal(wrong, bytes)),
      bytes,
    )
  },
)

/** A field of number 2046, which the Cosmos SDK calls non-critical, with the value 1. */
const NON_CRITICAL = hex('f07f01')

interface Parts {
  readonly body: TxBody
  readonly auth: AuthInfo
  readonly message: MsgEthereumTx
}

/** Rewrites parts of a wrapping, as messages or as bytes. */
function rewrite(
  bytes: Uint8Array,
  change: {
    readonly parts?: (parts: Parts) => void
    readonly message?: (encoded: Uint8Array) => Uint8Array
    readonly body?: (encoded: Uint8Array) => Uint8Array
    readonly auth?: (encoded: Uint8Array) => Uint8Array
  },
): Uint8Array {
  const raw = fromBinary(TxRawSchema, bytes)
  const body = fromBinary(TxBodySchema, raw.bodyBytes)
  const auth = fromBinary(AuthInfoSchema, raw.authInfoBytes)
  const message = fromBinary(MsgEthereumTxSchema, body.messages[0]!.value)
  change.parts?.({ body, auth, message })
  const same = (encoded: Uint8Array) => encoded
  if (body.messages[0]) body.messages[0].value = (change.message ?? same)(toBinary(MsgEthereumTxSchema, message))
  raw.bodyBytes = (change.body ?? same)(toBinary(TxBodySchema, body))
  raw.authInfoBytes = (change.auth ?? same)(toBinary(AuthInfoSchema, auth))
  return toBinary(TxRawSchema, raw)
}

const junk = new Uint8Array(1000).fill(7)
const append = (more: Uint8Array) => (encoded: Uint8Array) => concat(encoded, more)
const MULTIPLE = 'x'.repeat(10)

const REWRITES: Readonly<Record<string, Parameters<typeof rewrite>[1]>> = {
  'value of the extension option': {
    parts: ({ body }) => {
      body.extensionOptions[0]!.value = junk
    },
  },
  'second extension option': { parts: ({ body }) => void body.extensionOptions.push(body.extensionOptions[0]!) },
  'no extension option': {
    parts: ({ body }) => {
      body.extensionOptions = []
    },
  },
  'non-critical option': { parts: ({ body }) => void body.nonCriticalExtensionOptions.push(body.extensionOptions[0]!) },
  memo: {
    parts: ({ body }) => {
      body.memo = MULTIPLE
    },
  },
  'timeout height': {
    parts: ({ body }) => {
      body.timeoutHeight = 10n ** 9n
    },
  },
  tip: {
    parts: ({ auth }) => {
      auth.tip = create(AuthInfoSchema, { tip: { tipper: MULTIPLE } }).tip!
    },
  },
  'signer info': {
    parts: ({ auth }) => void auth.signerInfos.push(create(AuthInfoSchema, { signerInfos: [{}] }).signerInfos[0]!),
  },
  payer: {
    parts: ({ auth }) => {
      auth.fee!.payer = MULTIPLE
    },
  },
  granter: {
    parts: ({ auth }) => {
      auth.fee!.granter = MULTIPLE
    },
  },
  'gas limit': { parts: ({ auth }) => void auth.fee!.gasLimit++ },
  'fee with leading zeros': {
    parts: ({ auth }) => {
      auth.fee!.amount[0]!.amount = `00${auth.fee!.amount[0]!.amount}`
    },
  },
  'fee in two parts': { parts: ({ auth }) => void auth.fee!.amount.push(auth.fee!.amount[0]!) },
  from: {
    parts: ({ message }) => {
      message.from = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
    },
  },
  size: {
    parts: ({ message }) => {
      message.size = 1
    },
  },
  'size of minus zero': { message: append(hex('110000000000000080')) },
  'hash in upper case': {
    parts: ({ message }) => {
      message.hash = `0x${message.hash.slice(2).toUpperCase()}`
    },
  },
  'hash without 0x': {
    parts: ({ message }) => {
      message.hash = message.hash.slice(2)
    },
  },
  'type URL of the message with two slashes': {
    parts: ({ body }) => {
      body.messages[0]!.typeUrl = `/${body.messages[0]!.typeUrl}`
    },
  },
  'type URL of the option with a host': {
    parts: ({ body }) => {
      body.extensionOptions[0]!.typeUrl = `x${body.extensionOptions[0]!.typeUrl}`
    },
  },
  'type URL of the data without a slash': {
    parts: ({ message }) => {
      message.data!.typeUrl = message.data!.typeUrl.slice(1)
    },
  },
  'default memo on the wire': { body: append(hex('1200')) },
  'default timeout on the wire': { body: append(hex('1800')) },
  'non-critical field of the body': { body: append(NON_CRITICAL) },
  'non-critical field of the message': { message: append(NON_CRITICAL) },
  'default size on the wire': { message: append(hex('110000000000000000')) },
  'length of the body as a longer varint': {
    body: (encoded) => concat(Uint8Array.of(0x0a, encoded[1]!, encoded[2]! | 0x80, 0), encoded.subarray(3)),
  },
  'the same fee again': { auth: (encoded) => concat(encoded, encoded) },
  'extension options before the message': {
    body: (encoded) => {
      const { messages, ...rest } = fromBinary(TxBodySchema, encoded)
      return concat(
        toBinary(TxBodySchema, create(TxBodySchema, { extensionOptions: rest.extensionOptions })),
        toBinary(TxBodySchema, create(TxBodySchema, { messages })),
      )
    },
  },
}

test.each([
  ['almanac', almanac],
  ['nibiru', reference],
] as const)('nothing that no one signs can be put around a transaction (%s)', (_, identity) => {
  const chain = start(identity)
  const bytes = wrap(identity, randomTransaction(seeded(5), 2))
  expect(formatHex(rewrite(bytes, {}))).toBe(formatHex(bytes))
  const wrongs = Object.entries(REWRITES).map(([name, change]) => [name, rewrite(bytes, change)] as const)
  for (const [name, wrong] of wrongs) expect(equal(wrong, bytes), name).toBe(false)
  const other = identity === almanac ? reference : almanac
  expectRefused(chain, [...wrongs, ['names of another profile', wrap(other, randomTransaction(seeded(5), 2))]], bytes)
})

test('a wrong wrapping is named, and has the code of an invalid request', () => {
  const chain = start(almanac)
  const bytes = wrap(almanac, randomTransaction(seeded(6), 0))
  const log = (name: string) => {
    const { code, log } = chain.check(rewrite(bytes, REWRITES[name]!))
    return [code, log]
  }
  expect(log('tip')).toEqual([18, 'an Ethereum transaction has no tip around it: invalid request'])
  expect(log('from')).toEqual([18, 'from must be empty: the signature determines the sender: invalid request'])
  expect(log('size')).toEqual([18, 'size is deprecated and must be 0: invalid request'])
  const [code, text] = log('size of minus zero')
  expect([code, text]).toEqual([
    18,
    expect.stringMatching(
      /^\d+ bytes around an Ethereum transaction differ at \d+ from its only encoding, \d+ bytes: invalid request$/,
    ),
  ])
})

type Common = { value?: string; to: string; v: Uint8Array; r: Uint8Array; s: Uint8Array }
type Listed = { chainId?: string; accesses: { address: string; storageKeys: string[] }[] }
const unpadded = (text: string) => `0${text}`
const upper = (text: string) => `0x${text.slice(2).toUpperCase()}`
const zeroFirst = (bytes: Uint8Array) => concat(Uint8Array.of(0), bytes)

const DATA_REWRITES: Readonly<Record<string, (tx: Common & Listed) => void>> = {
  'value with a leading zero': (tx) => {
    tx.value = unpadded(tx.value!)
  },
  'value with a sign': (tx) => {
    tx.value = `+${tx.value}`
  },
  'negative zero': (tx) => {
    tx.value = '-0'
  },
  'no value': (tx) => void delete tx.value,
  'value above 256 bits': (tx) => {
    tx.value = (2n ** 256n).toString()
  },
  'chain id with a leading zero': (tx) => {
    tx.chainId = unpadded(tx.chainId!)
  },
  'recipient in upper case': (tx) => {
    tx.to = upper(tx.to)
  },
  'recipient without 0x': (tx) => {
    tx.to = tx.to.slice(2)
  },
  'v with a leading zero': (tx) => {
    tx.v = zeroFirst(tx.v)
  },
  'r with a leading zero': (tx) => {
    tx.r = zeroFirst(tx.r)
  },
  's with a leading zero': (tx) => {
    tx.s = zeroFirst(tx.s)
  },
  'listed address in lower case': (tx) => {
    tx.accesses[0]!.address = tx.accesses[0]!.address.toLowerCase()
  },
  'listed key in upper case': (tx) => {
    tx.accesses[0]!.storageKeys[0] = upper(tx.accesses[0]!.storageKeys[0]!)
  },
}

test('numbers, addresses and signatures inside have one spelling', () => {
  const chain = start(almanac)
  const accessList = [{ address: hex('5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'), storageKeys: [sha256(EMPTY)] }]
  const fields = {
    chainId: 6930n,
    nonce: 0n,
    to: hex('5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'),
    valueWei: 100n,
    data: EMPTY,
  }
  const prices = { maxFeePerGasWei: BASE, maxPriorityFeePerGasWei: 0n }
  const kinds = [
    [AccessListTxSchema, { ...fields, type: 1, gasLimit: 40_000n, gasPriceWei: BASE, accessList }],
    [DynamicFeeTxSchema, { ...fields, type: 2, gasLimit: 40_000n, ...prices, accessList }],
    [
      SetCodeTxSchema,
      { ...fields, type: 4, gasLimit: 90_000n, ...prices, accessList, authorizations: [authorization(0n, 0n)] },
    ],
  ] as const
  for (const [schema, unsigned] of kinds) {
    const bytes = wrap(almanac, signTransaction(unsigned as UnsignedTransaction, KEY))
    const changed = (edit: (tx: never) => void) =>
      rewrite(bytes, {
        parts({ message }) {
          const tx = fromBinary(schema, message.data!.value)
          edit(tx as never)
          message.data!.value = toBinary(schema as typeof DynamicFeeTxSchema, tx as never)
        },
      })
    const wrongs: (readonly [string, Uint8Array])[] = Object.entries(DATA_REWRITES).map(
      ([name, edit]) => [`${schema.typeName}: ${name}`, changed(edit)] as const,
    )
    const authorizationText = (edit: (one: { chainId?: string; v: Uint8Array }) => void) =>
      changed((tx: { authorizations: { chainId?: string; v: Uint8Array }[] }) => edit(tx.authorizations[0]!))
    if (schema === SetCodeTxSchema) {
      wrongs.push(['authorization without chain id', authorizationText((one) => void delete one.chainId)])
      wrongs.push([
        'authorization with v padded',
        authorizationText((one) => {
          one.v = zeroFirst(one.v)
        }),
      ])
    }
    expectRefused(chain, wrongs, bytes)
  }
})

test('the other signature of the same key is refused, and so is one for every chain', () => {
  const chain = start(almanac)
  const tx = randomTransaction(seeded(8), 0)
  const { r, s, yParity } = tx.signature
  const twin = { ...tx, signature: { r, s: SECP256K1_ORDER - s, yParity: yParity === 0 ? 1 : 0 } } as Transaction
  const unprotected = signTransaction({ ...tx, chainId: undefined } as UnsignedTransaction, KEY)
  expectRefused(
    chain,
    [
      ['high s', wrap(almanac, twin)],
      ['unprotected', wrap(almanac, unprotected)],
    ],
    wrap(almanac, tx),
  )
  const checked = chain.check(wrap(almanac, unprotected))
  expect([checked.codespace, checked.code, checked.error?.message]).toEqual([
    'sdk',
    37,
    'only replay-protected (EIP-155) transactions allowed over RPC',
  ])
})

test.each([
  ['Osaka', 8],
  ['Shanghai', 4],
] as const)('gas covers the bytes of every transaction: under %s at least %i for a byte', (fork, least) => {
  const rules = rulesOf(fork)
  const below = seeded(9)
  const most = 2n ** 256n - 1n
  const gasPerByte = (tx: Transaction): number => {
    const { intrinsic, floor } = ownGas(
      { ...tx, accessList: accessListOf(tx), authorizations: tx.type === 4 ? tx.authorizations : [] },
      rules,
    )
    return Number(intrinsic > floor ? intrinsic : floor) / wrap(almanac, tx).length
  }
  const ratios: number[] = []
  for (let i = 0; i < 120; i++) {
    const tx = randomTransaction(below, ([0, 1, 2, 4] as const)[i % 4]!)
    // The longest numbers, and much of what costs least for its size.
    const longest = {
      nonce: 2n ** 64n - 2n,
      valueWei: most,
      chainId: most,
      maxFeePerGasWei: most,
      maxPriorityFeePerGasWei: most,
      gasPriceWei: most,
    }
    const keys = Array.from({ length: below(2) * 200 }, () => new Uint8Array(32).fill(below(256)))
    const lists = tx.type === 0 ? {} : { accessList: [{ address: new Uint8Array(20).fill(1), storageKeys: keys }] }
    const authorizations =
      tx.type === 4
        ? { authorizations: Array(below(50)).fill({ ...authorization(most, 2n ** 64n - 1n), yParity: 255 }) }
        : {}
    const data = new Uint8Array(below(2) * below(30_000))
    ratios.push(
      gasPerByte({
        ...tx,
        ...longest,
        ...lists,
        ...authorizations,
        data,
        ...(tx.type === 0 && { chainId: 6930n }),
      } as Transaction),
    )
    ratios.push(gasPerByte({ ...tx, data } as Transaction))
  }
  expect(Math.min(...ratios)).toBeGreaterThan(least)
})
