import { create, toBinary } from '@bufbuild/protobuf'
import { describe, expect, test } from 'vitest'
import { createAddress } from '../../evm/contract-address.ts'
import { addressOfPrivateKey } from '../../evm/transaction/sender.ts'
import { FeeShareSchema, ModuleParamsSchema } from '../../gen/chain/devgas/v1/devgas_pb.ts'
import {
  MsgCancelFeeShareSchema,
  MsgRegisterFeeShareSchema,
  MsgUpdateFeeShareSchema,
  MsgUpdateParamsSchema,
} from '../../gen/chain/devgas/v1/tx_pb.ts'
import { SignMode } from '../../gen/sdk/tx/signing/v1beta1/signing_pb.ts'
import { AuthInfoSchema, TxBodySchema } from '../../gen/sdk/tx/v1beta1/tx_pb.ts'
import * as address from '../../identity/address.ts'
import { behavioursOf } from '../../identity/behaviours.ts'
import { complete } from '../../identity/complete.ts'
import { almanac } from '../../identity/profiles/almanac.ts'
import { identityOf } from '../../identity/profiles.ts'
import { concat, formatHex, formatUtf8, hex, utf8 } from '../../primitives/bytes.ts'
import { keccak256, sha256 } from '../../primitives/hash.ts'
import { aminoMessage, canonicalJson } from '../../sdk/amino-json.ts'
import { governance } from '../../sdk/authority.ts'
import type { Context } from '../../sdk/context.ts'
import { signBytesOf } from '../../sdk/sign-bytes.ts'
import { testContext } from '../../sdk/testing.ts'
import type { DecodedTx } from '../../sdk/tx.ts'
import { createGasMeter } from '../../store/gas.ts'
import { auth as authModule } from '../auth/index.ts'
import * as auth from '../auth/keeper.ts'
import { distribution } from '../distribution/index.ts'
import { localnetGenesis } from '../evm/development/localnet.ts'
import { evm } from '../evm/index.ts'
import * as evmKeeper from '../evm/keeper.ts'
import { codes } from '../evm/state.ts'
import { devgas } from './index.ts'
import * as keeper from './keeper.ts'
import { messages, validations } from './messages.ts'
import { queries } from './queries.ts'

// Private keys are the SHA-256 of "spec test key " and the name.
const account = (name: string) => addressOfPrivateKey(sha256(utf8(`spec test key ${name}`)))
const ALICE = account('alice')
const BOB = account('bob')
const C0 = createAddress(ALICE, 0n)
const ALICE_TEXT = 'chain1q20a38hfp3gd96cpl6h90jatewtakrv60jhtue'
const BOB_TEXT = 'chain1shkwtvnnwcf36ttgmk98uj8vwag7zzcl953qfy'
const C0_TEXT = 'chain1f657hun09cye0xnxnl2xv57ty686cran9sgd8g'
const GOV_TEXT = 'chain10d07y265gmmuvt4z0w9aw880jnsr700j0q8wax'
const COLLECTOR_TEXT = 'chain17xpfvakm2amg962yls6f84z3kell8c5l9mhtqg'

/** Code without `owner()`: STOP. */
const SILENT = hex('00')
/** Code that returns one word for every call: PUSH32 word, MSTORE at 0, RETURN 32 bytes. */
const answering = (word: Uint8Array) => concat(hex('7f'), word, hex('60005260206000f3'))
const ownedBy = (owner: Uint8Array) => answering(concat(new Uint8Array(12), owner))

function putCode(ctx: Context, at: Uint8Array, code: Uint8Array): void {
  const codeHash = keccak256(code)
  codes.set(ctx, codeHash, code)
  auth.setAccount(ctx, { ...(auth.getAccount(ctx, at) ?? auth.newAccount(ctx, at)), codeHash })
}

function chain(code: Uint8Array = SILENT, identity = almanac): Context {
  const ctx = testContext({
    identity,
    modules: [authModule, evm, distribution, devgas],
    block: { gasLimit: 60_000_000n, hash: new Uint8Array(32).fill(7) },
  })
  evm.genesis!.init(ctx, localnetGenesis(ctx))
  devgas.genesis!.init(ctx, devgas.genesis!.defaults(ctx))
  putCode(ctx, C0, code)
  evmKeeper.recordCreation(ctx, C0, { creator: ALICE, origin: ALICE })
  return ctx
}

const text = (bytes: Uint8Array) => address.format({ identity: almanac }, bytes)
type Fields = {
  readonly contractAddress?: string
  readonly deployerAddress?: string
  readonly withdrawerAddress?: string
  readonly nonces?: bigint[]
}
const request = (fields: Fields = {}) => ({ contractAddress: C0_TEXT, deployerAddress: ALICE_TEXT, ...fields })
const register = (ctx: Context, fields?: Fields) => messages.registerFeeShare(ctx, request(fields))
const stored = (ctx: Context) => keeper.feeShare(ctx, C0)
const raw = (ctx: Context, keyHex: string) => ctx.store.get('devgas', hex(keyHex))

/** Returns codespace and code of the error that a call throws. */
function failure(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    const { codespace, code } = error as { codespace: string; code: number }
    return `${codespace} ${code}`
  }
  return 'ok'
}

function checkOf(typeName: string, message: unknown, ctx: Context): string {
  const { check } = validations.find(({ schema }) => schema.typeName.endsWith(typeName))!
  return failure(() => check(ctx, message as never))
}

describe('stored and signed bytes', () => {
  test('addresses of accounts and contracts match', () => {
    expect([text(ALICE), text(BOB), text(C0)]).toEqual([ALICE_TEXT, BOB_TEXT, C0_TEXT])
    expect(formatHex(createAddress(ALICE, 1n))).toBe('c46ce76c29bcce0f2bfe27b3c6005b047303a552')
    expect(formatHex(createAddress(ALICE, 127n))).toBe('277b560de985fa1895c03e7cb517dedd3e5c163e')
    expect(formatHex(createAddress(ALICE, 128n))).toBe('560bf7b719f7563af080393f513aa09888ff8c25')
    expect(text(createAddress(C0, 1n))).toBe('chain1n575la7arvnqzt4wsdhlene6j587f9g4hmgkcc')
    expect([text(auth.feeCollector.address), text(governance)]).toEqual([COLLECTOR_TEXT, GOV_TEXT])
  })

  test('a record and its keys match byte for byte', () => {
    const ctx = chain()
    register(ctx, { withdrawerAddress: BOB_TEXT })
    const c0 = '636861696e316636353768756e303963796530786e786e6c327876353774793638366372616e397367643867'
    const alice = '636861696e31713230613338686670336764393663706c366839306a6174657774616b727636306a68747565'
    const bob = '636861696e3173686b7774766e6e77636633367474676d6b3938756a3876776167377a7a636c393533716679'
    expect(formatHex(raw(ctx, `01${c0}00`)!)).toBe(`0a2c${c0}122c${alice}1a2c${bob}`)
    expect(raw(ctx, `02${alice}00${c0}00`)).toEqual(new Uint8Array(0))
    expect(raw(ctx, `03${bob}00${c0}00`)).toEqual(new Uint8Array(0))
    expect(formatHex(raw(ctx, '040000000000000000')!)).toBe('08011212353030303030303030303030303030303030')
    expect([...ctx.store.iterate('devgas', {})].length).toBe(4)
  })

  test('parameters match byte for byte', () => {
    const encode = (fields: object) =>
      formatHex(toBinary(ModuleParamsSchema, complete(ModuleParamsSchema, create(ModuleParamsSchema, fields))))
    expect(encode({ enableFeeShare: true, developerShares: '300000000000000000', allowedDenoms: ['unative'] })).toBe(
      '080112123330303030303030303030303030303030301a07756e6174697665',
    )
    expect(encode({ enableFeeShare: false, developerShares: '0' })).toBe('120130')
  })

  test('the amino JSON of a registration matches', () => {
    const message = create(MsgRegisterFeeShareSchema, request({ withdrawerAddress: BOB_TEXT }))
    const json = canonicalJson(aminoMessage({ ...chain(), toName: (name) => name }, MsgRegisterFeeShareSchema, message))
    expect(formatHex(sha256(utf8(json)))).toBe('0e24aa41a693a1ba02cb9d41163510e9283045800e7c2bd54a590bc08000f82a')
  })

  test.each([
    [MsgUpdateFeeShareSchema, 'chain/MsgUpdateFeeShare'],
    [MsgCancelFeeShareSchema, 'chain/MsgCancelFeeShare'],
    [MsgUpdateParamsSchema, 'chain/MsgUpdateParams'],
  ])('$typeName is signed under its amino name', (schema, name) => {
    const empty = create<typeof schema>(schema)
    expect(aminoMessage({ ...chain(), toName: (one) => one }, schema, empty)).toMatchObject({ type: name })
  })

  test('an update of parameters can also be signed under a module-specific name, in every family of names', () => {
    const message = create(MsgUpdateParamsSchema, { authority: GOV_TEXT, params: {} })
    const parts = { body: create(TxBodySchema), authInfo: create(AuthInfoSchema), hasNonCriticalFields: false }
    const tx = { ...parts, messages: [{ schema: MsgUpdateParamsSchema, message }] } as unknown as DecodedTx
    const facts = { chainId: 'almanac-localnet-1', accountNumber: 1n, sequence: 0n }
    const types = (identity: typeof almanac) =>
      signBytesOf({ ...chain(), identity }, tx, SignMode.LEGACY_AMINO_JSON, facts).map(
        (bytes) => JSON.parse(formatUtf8(bytes)).msgs[0].type,
      )
    expect(types(almanac)).toEqual(['chain/MsgUpdateParams', 'chain/devgas/MsgUpdateParams'])
    expect(types(identityOf('nibiru'))).toEqual(
      expect.arrayContaining(['nibiru/MsgUpdateParams', 'nibiru/devgas/MsgUpdateParams']),
    )
  })
})

describe('registration', () => {
  test('the deployer is the default withdrawer, and the event names it', () => {
    const ctx = chain()
    register(ctx)
    expect(stored(ctx)).toMatchObject(request({ withdrawerAddress: ALICE_TEXT }))
    expect(ctx.events.at(-1)).toEqual({
      type: 'chain.devgas.v1.EventRegisterDevGas',
      attributes: [
        { key: 'contract', value: `"${C0_TEXT}"` },
        { key: 'deployer', value: `"${ALICE_TEXT}"` },
        { key: 'withdrawer', value: `"${ALICE_TEXT}"` },
      ],
    })
  })

  test('upper-case addresses are stored in lower case', () => {
    const ctx = chain()
    register(ctx, { contractAddress: C0_TEXT.toUpperCase(), withdrawerAddress: BOB_TEXT.toUpperCase() })
    expect(stored(ctx)).toMatchObject(request({ withdrawerAddress: BOB_TEXT }))
  })

  test('an owner that is an account is the only administrator', () => {
    const ctx = chain(ownedBy(BOB))
    expect(failure(() => register(ctx))).toBe('sdk 4')
    expect(() => register(ctx)).toThrow(`you are not an admin of this contract ${C0_TEXT}: unauthorized`)
    register(ctx, { deployerAddress: BOB_TEXT })
    expect(stored(ctx)?.deployerAddress).toBe(BOB_TEXT)
  })

  test('if the owner is a contract, the creator is the administrator', () => {
    const ctx = chain(ownedBy(new Uint8Array(20).fill(9)))
    putCode(ctx, new Uint8Array(20).fill(9), SILENT)
    expect(failure(() => register(ctx, { deployerAddress: BOB_TEXT }))).toBe('sdk 4')
    expect(failure(() => register(ctx))).toBe('ok')
  })

  test('an owner with delegated code is still an account (EIP-7702)', () => {
    const ctx = chain(ownedBy(BOB))
    putCode(ctx, BOB, concat(hex('ef0100'), new Uint8Array(20).fill(3)))
    expect(failure(() => register(ctx, { deployerAddress: BOB_TEXT }))).toBe('ok')
  })

  test.each([
    ['reverts', hex('60006000fd')],
    ['runs out of gas', hex('5b600056')],
    ['answers 31 bytes', hex('601f6000f3')],
    ['answers 64 bytes', concat(hex('7f'), new Uint8Array(12), BOB, hex('60005260406000f3'))],
    ['answers zero', ownedBy(new Uint8Array(20))],
    ['answers more than an address', answering(concat(hex('01'), new Uint8Array(11), BOB))],
    ['writes', concat(hex('6001600055'), ownedBy(BOB))],
  ])('the creator is the administrator if owner() %s', (_what, code) => {
    const ctx = chain(code)
    expect(failure(() => register(ctx, { deployerAddress: BOB_TEXT }))).toBe('sdk 4')
    expect(failure(() => register(ctx))).toBe('ok')
  })

  test('the owner() call costs its gas, at most 100,000', () => {
    const ctx = chain(hex('5b600056'))
    const meter = createGasMeter(1_000_000n)
    messages.registerFeeShare(ctx.withGas(meter), request())
    const bare = chain(hex('00000000'))
    const other = createGasMeter(1_000_000n)
    messages.registerFeeShare(bare.withGas(other), request())
    // STOP costs no gas, and both codes have the same length.
    expect(meter.used - other.used).toBe(100_000n)
    expect(failure(() => register(chain(hex('5b600056')).withGas(createGasMeter(90_000n))))).toBe('sdk 11')
  })

  test('the sender of the transaction is the administrator of a contract created by contracts', () => {
    const ctx = chain()
    evmKeeper.recordCreation(ctx, C0, { creator: new Uint8Array(20).fill(9), origin: BOB })
    expect(failure(() => register(ctx))).toBe('sdk 4')
    expect(failure(() => register(ctx, { deployerAddress: BOB_TEXT }))).toBe('ok')
  })

  test('a contract without a creation record accepts a proof by nonces, at 50 gas each', () => {
    const ctx = chain()
    const child = createAddress(C0, 1n)
    putCode(ctx, child, SILENT)
    const contractAddress = text(child)
    expect(failure(() => register(ctx, { contractAddress }))).toBe('sdk 4')
    expect(failure(() => register(ctx, { contractAddress, nonces: [0n, 2n] }))).toBe('sdk 4')
    expect(failure(() => register(ctx, { contractAddress, nonces: [0n, 1n], deployerAddress: BOB_TEXT }))).toBe('sdk 4')
    const [one, two] = [createGasMeter(1_000_000n), createGasMeter(1_000_000n)]
    expect(failure(() => register(ctx.withGas(one), { contractAddress, nonces: [0n] }))).toBe('sdk 4')
    expect(failure(() => register(ctx.withGas(two), { contractAddress, nonces: [0n, 2n] }))).toBe('sdk 4')
    expect(two.used - one.used).toBe(50n)
    expect(failure(() => register(ctx, { contractAddress, nonces: [0n, 1n] }))).toBe('ok')
    // The deployer who proved the creation stays the administrator.
    const update = (deployerAddress: string) =>
      failure(() => messages.updateFeeShare(ctx, { contractAddress, deployerAddress, withdrawerAddress: BOB_TEXT }))
    expect([update(BOB_TEXT), update(ALICE_TEXT)]).toEqual(['sdk 4', 'ok'])
    expect(checkOf('MsgRegisterFeeShare', request({ withdrawerAddress: '', nonces: Array(21).fill(0n) }), ctx)).toBe(
      'sdk 18',
    )
    expect(checkOf('MsgRegisterFeeShare', request({ withdrawerAddress: '', nonces: Array(20).fill(0n) }), ctx)).toBe(
      'ok',
    )
  })

  test('checks run in order, each with its registered error', () => {
    const ctx = chain()
    const disabled = chain()
    devgas.genesis!.init(disabled, { params: { enable_fee_share: false, developer_shares: '0.5' } })
    expect(failure(() => register(disabled))).toBe('devgas 1')
    expect(queries.feeShares(disabled, { deployer: ALICE_TEXT }).feeshare).toEqual([])
    expect(failure(() => register(ctx, { contractAddress: BOB_TEXT }))).toBe('devgas 3')
    for (const precompile of ['0001', '0800']) {
      const contractAddress = text(hex(`${'00'.repeat(18)}${precompile}`))
      expect(failure(() => register(ctx, { contractAddress }))).toBe('devgas 3')
    }
    expect(failure(() => register(ctx, { withdrawerAddress: COLLECTOR_TEXT }))).toBe('devgas 6')
    register(ctx)
    expect(failure(() => register(ctx))).toBe('devgas 2')
    expect(() => register(ctx)).toThrow(
      `contract is already registered ${C0_TEXT}: feeshare already exists for given contract`,
    )
    // A sender with code is a contract, even if it created the other contract.
    const mute = chain()
    putCode(mute, ALICE, SILENT)
    expect(failure(() => register(mute))).toBe('sdk 4')
  })

  test('an account with delegated code cannot be registered', () => {
    const ctx = chain(concat(hex('ef0100'), new Uint8Array(20).fill(3)))
    expect(failure(() => register(ctx))).toBe('devgas 3')
  })

  test('governance is not blocked and can be a withdrawer', () => {
    const ctx = chain()
    register(ctx, { withdrawerAddress: GOV_TEXT })
    expect(stored(ctx)?.withdrawerAddress).toBe(GOV_TEXT)
  })

  test.each([
    ['a contract that is no address', { contractAddress: 'nope' }, 'sdk 7'],
    ['a contract of another chain', { contractAddress: 'nibi1q20a38hfp3gd96cpl6h90jatewtakrv6' }, 'sdk 7'],
    ['an operator for a contract', { contractAddress: address.formatValidator({ identity: almanac }, C0) }, 'sdk 7'],
    ['a contract of 32 bytes', { contractAddress: text(new Uint8Array(32).fill(1)) }, 'sdk 7'],
    ['the zero address', { contractAddress: text(new Uint8Array(20)) }, 'sdk 7'],
    ['a deployer that is no address', { deployerAddress: '' }, 'sdk 7'],
    ['a withdrawer that is no address', { withdrawerAddress: 'chain1x' }, 'devgas 6'],
    ['a withdrawer of 5 bytes', { withdrawerAddress: text(new Uint8Array(5)) }, 'devgas 6'],
    ['no withdrawer', { withdrawerAddress: '' }, 'ok'],
  ])('%s: %o is checked without reading state', (_what, fields, expected) => {
    const message = create(MsgRegisterFeeShareSchema, request(fields))
    expect(checkOf('MsgRegisterFeeShare', message, chain())).toBe(expected)
  })
})

describe('behaviour contractsRegisterThemselves', () => {
  const switched = { ...almanac, behaviours: behavioursOf(['contractsRegisterThemselves']) }

  test.each([
    ['a contract', new Uint8Array(20).fill(9)],
    ['governance', governance],
  ])('any sender registers a contract of %s, with the contract as withdrawer', (_what, owner) => {
    const ctx = chain(ownedBy(owner), switched)
    putCode(ctx, new Uint8Array(20).fill(9), SILENT)
    expect(failure(() => register(ctx, { deployerAddress: BOB_TEXT }))).toBe('devgas 6')
    register(ctx, { deployerAddress: BOB_TEXT, withdrawerAddress: C0_TEXT })
    expect(stored(ctx)).toMatchObject({ deployerAddress: C0_TEXT, withdrawerAddress: C0_TEXT })
  })

  test('a contract of governance is refused without the behaviour', () => {
    expect(failure(() => register(chain(ownedBy(governance)), { withdrawerAddress: C0_TEXT }))).toBe('sdk 4')
  })
})

describe('update and cancel', () => {
  const update = (ctx: Context, fields: Fields = {}) =>
    messages.updateFeeShare(ctx, request({ withdrawerAddress: BOB_TEXT, ...fields }))
  const cancel = (ctx: Context, fields: Fields = {}) => messages.cancelFeeShare(ctx, request(fields))

  test('after a change of ownership only the new owner updates and becomes the deployer', () => {
    const ctx = chain()
    register(ctx)
    putCode(ctx, C0, ownedBy(BOB))
    expect(failure(() => update(ctx))).toBe('sdk 4')
    expect(failure(() => update(ctx, { deployerAddress: BOB_TEXT }))).toBe('ok')
    expect(stored(ctx)).toMatchObject({ deployerAddress: BOB_TEXT, withdrawerAddress: BOB_TEXT })
    expect(queries.feeShares(ctx, { deployer: ALICE_TEXT }).feeshare).toEqual([])
    expect(queries.feeSharesByWithdrawer(ctx, { withdrawerAddress: ALICE_TEXT }).feeshare).toEqual([])
    expect(queries.feeShares(ctx, { deployer: BOB_TEXT }).feeshare.length).toBe(1)
    expect(ctx.events.at(-1)!.type).toBe('chain.devgas.v1.EventUpdateDevGas')
    expect([...ctx.store.iterate('devgas', {})].length).toBe(4)
  })

  test('each refused update has its registered error', () => {
    const ctx = chain()
    expect(failure(() => update(ctx))).toBe('devgas 4')
    register(ctx)
    expect(failure(() => update(ctx, { withdrawerAddress: COLLECTOR_TEXT }))).toBe('devgas 6')
    expect(failure(() => update(ctx, { withdrawerAddress: ALICE_TEXT }))).toBe('devgas 2')
    expect(() => update(ctx, { withdrawerAddress: ALICE_TEXT })).toThrow(
      `feeshare with withdraw address ${ALICE_TEXT} is already registered: feeshare already exists for given contract`,
    )
    expect(failure(() => update(ctx, { deployerAddress: BOB_TEXT }))).toBe('sdk 4')
    messages.updateParams(ctx, { authority: GOV_TEXT, params: { enableFeeShare: false, developerShares: '0' } })
    expect([failure(() => update(ctx)), failure(() => cancel(ctx))]).toEqual(['devgas 1', 'devgas 1'])
  })

  test.each([
    ['a contract that is no address', { contractAddress: 'nope' }, 'sdk 7', 'sdk 7'],
    ['a contract of 32 bytes', { contractAddress: text(new Uint8Array(32).fill(1)) }, 'sdk 7', 'sdk 7'],
    ['the zero address', { contractAddress: text(new Uint8Array(20)) }, 'sdk 7', 'sdk 7'],
    ['a deployer of another chain', { deployerAddress: 'nibi1q20a38hfp3gd96cpl6h90jatewtakrv6' }, 'sdk 7', 'sdk 7'],
    ['a withdrawer that is no address', { withdrawerAddress: 'chain1x' }, 'devgas 6', 'ok'],
    ['nothing wrong', {}, 'ok', 'ok'],
  ])('%s: %o is checked without reading state', (_what, fields, ofUpdate, ofCancel) => {
    const update = create(MsgUpdateFeeShareSchema, request({ withdrawerAddress: BOB_TEXT, ...fields }))
    const cancel = create(MsgCancelFeeShareSchema, request(fields))
    expect(checkOf('MsgUpdateFeeShare', update, chain())).toBe(ofUpdate)
    expect(checkOf('MsgCancelFeeShare', cancel, chain())).toBe(ofCancel)
  })

  test('a cancelled registration leaves no keys and can be repeated', () => {
    const ctx = chain()
    expect(failure(() => cancel(ctx))).toBe('devgas 4')
    register(ctx, { withdrawerAddress: BOB_TEXT })
    expect(failure(() => cancel(ctx, { deployerAddress: BOB_TEXT }))).toBe('sdk 4')
    cancel(ctx)
    expect([...ctx.store.iterate('devgas', {})].length).toBe(1)
    expect(ctx.events.at(-1)).toEqual({
      type: 'chain.devgas.v1.EventCancelDevGas',
      attributes: [
        { key: 'contract', value: `"${C0_TEXT}"` },
        { key: 'deployer', value: `"${ALICE_TEXT}"` },
      ],
    })
    expect(failure(() => register(ctx))).toBe('ok')
  })

  test('governance cancels any registration, and a deployer one whose contract is gone', () => {
    const ctx = chain()
    register(ctx)
    cancel(ctx, { deployerAddress: GOV_TEXT })
    register(ctx)
    evmKeeper.recordCreation(ctx, C0, { creator: BOB, origin: BOB })
    expect(failure(() => cancel(ctx))).toBe('sdk 4')
    auth.removeAccount(ctx, auth.getAccount(ctx, C0)!)
    expect(failure(() => cancel(ctx))).toBe('ok')
  })
})

describe('parameters', () => {
  const set = (developerShares: string, allowedDenoms: string[] = [], authority = GOV_TEXT) =>
    failure(() => messages.updateParams(chain(), { authority, params: { developerShares, allowedDenoms } }))

  test('accept a share from 0 to 1 and distinct denoms, from governance only', () => {
    expect(set('0')).toBe('ok')
    expect(set('1000000000000000000', ['unative', 'factory/x/gold'])).toBe('ok')
    expect(set('0', [], ALICE_TEXT)).toBe('gov 13')
    expect(set('0', [], 'nope')).toBe('sdk 7')
    for (const share of ['', '-1', '1000000000000000001', 'x']) expect([share, set(share)]).toEqual([share, 'sdk 18'])
    for (const denoms of [[' '], ['1x'], ['unative', 'unative']]) expect(set('0', denoms)).toBe('sdk 18')
    const told = (authority: string, params: object) => () => messages.updateParams(chain(), { authority, params })
    expect(told(ALICE_TEXT, { developerShares: '0' })).toThrow(
      `invalid authority; expected ${GOV_TEXT}, got ${ALICE_TEXT}`,
    )
    expect(told(GOV_TEXT, {})).toThrow('invalid parameter: nil')
    expect(told(GOV_TEXT, { developerShares: '0', allowedDenoms: [' '] })).toThrow('denom cannot be blank')
    expect(checkOf('MsgUpdateParams', create(MsgUpdateParamsSchema, { authority: 'nope' }), chain())).toBe('sdk 7')
  })

  test('do not change stored records', () => {
    const ctx = chain()
    register(ctx)
    messages.updateParams(ctx, { authority: GOV_TEXT, params: { enableFeeShare: false, developerShares: '0' } })
    expect(queries.feeShare(ctx, { contractAddress: C0_TEXT }).feeshare).toMatchObject(request())
    expect(queries.feeShares(ctx, { deployer: ALICE_TEXT }).feeshare.length).toBe(1)
  })
})

describe('queries', () => {
  const wrong = (run: () => unknown) => {
    try {
      run()
    } catch (error) {
      const { status, message } = error as { status: string; message: string }
      return `${status}: ${message}`
    }
    return 'ok'
  }

  test('accept upper-case, lower-case and hexadecimal addresses', () => {
    const ctx = chain()
    register(ctx, { withdrawerAddress: BOB_TEXT })
    const ask = (contractAddress: string) => queries.feeShare(ctx, { contractAddress }).feeshare?.withdrawerAddress
    for (const asked of [C0_TEXT, C0_TEXT.toUpperCase(), '0x4Ea9EBF26f2E09979A669Fd46653CB268fac0fb3']) {
      expect(ask(asked)).toBe(BOB_TEXT)
    }
    expect(queries.feeShares(ctx, { deployer: `0x${formatHex(ALICE)}` }).feeshare.length).toBe(1)
  })

  test('report invalid addresses and unknown records', () => {
    const ctx = chain()
    const reason = 'decoding bech32 failed: invalid bech32 string length 1'
    expect(wrong(() => queries.feeShare(ctx, { contractAddress: 'x' }))).toBe(
      `invalidArgument: invalid format for contract x, should be bech32 ('chain...')`,
    )
    expect(wrong(() => queries.feeShares(ctx, { deployer: 'x' }))).toBe(
      `invalidArgument: invalid deployer address 'x': ${reason}`,
    )
    expect(wrong(() => queries.feeSharesByWithdrawer(ctx, { withdrawerAddress: 'x' }))).toBe(
      `invalidArgument: invalid withdrawer address 'x': ${reason}`,
    )
    expect(wrong(() => queries.feeShares(ctx, {}))).toContain("invalidArgument: invalid deployer address ''")
    expect(wrong(() => queries.feeShare(ctx, { contractAddress: C0_TEXT }))).toBe(
      `notFound: fee share not found for contract '${C0_TEXT}'`,
    )
    expect(queries.feeShares(ctx, { deployer: text(new Uint8Array(32).fill(1)) }).feeshare).toEqual([])
  })

  test('list in the order of contract texts, whole or in pages', () => {
    const ctx = chain()
    const contracts = Array.from({ length: 120 }, (_, i) => new Uint8Array(20).fill(i + 1))
    for (const contract of contracts) keeper.setShare(ctx, { contract, deployer: ALICE, withdrawer: BOB })
    const expected = contracts.map(text).toSorted((a, b) => (a < b ? -1 : 1))
    const all = queries.feeShares(ctx, { deployer: ALICE_TEXT })
    expect(all.feeshare.map(({ contractAddress }) => contractAddress)).toEqual(expected)
    expect(all.pagination).toBeUndefined()
    const first = queries.feeSharesByWithdrawer(ctx, {
      withdrawerAddress: BOB_TEXT,
      pagination: { limit: 50n, countTotal: true },
    })
    const next = queries.feeSharesByWithdrawer(ctx, {
      withdrawerAddress: BOB_TEXT,
      pagination: { limit: 100n, key: first.pagination!.nextKey },
    })
    expect(first.pagination!.total).toBe(120n)
    const both = [...first.feeshare, ...next.feeshare].map(({ contractAddress }) => contractAddress)
    expect(both).toEqual(expected)
  })

  test('an address without ?by= is tried as contract, deployer, withdrawer, then code', () => {
    const ctx = chain()
    const carol = new Uint8Array(20).fill(0xca)
    expect(keeper.operationOf(ctx, C0_TEXT)).toBe('contract')
    expect(keeper.operationOf(ctx, text(carol))).toBe('deployer')
    expect(keeper.operationOf(ctx, 'nonsense')).toBe('deployer')
    register(ctx, { withdrawerAddress: BOB_TEXT })
    const asked = [C0_TEXT, ALICE_TEXT, BOB_TEXT].map((one) => keeper.operationOf(ctx, one))
    expect(asked).toEqual(['contract', 'deployer', 'withdrawer'])
    // The role contract precedes deployer, and deployer precedes withdrawer.
    keeper.setShare(ctx, { contract: C0, deployer: C0, withdrawer: C0 })
    expect(keeper.operationOf(ctx, C0_TEXT)).toBe('contract')
    keeper.setShare(ctx, { contract: carol, deployer: BOB, withdrawer: BOB })
    expect(keeper.operationOf(ctx, BOB_TEXT)).toBe('deployer')
  })

  const holder = (byte: number) => new Uint8Array(20).fill(byte)
  const [BOTH, PAYS_ITSELF, OWNS, UNREGISTERED] = [holder(0xb0), holder(0xb1), holder(0xb2), holder(0xb3)]
  const OTHERS = [holder(0xb4), holder(0xb5)] as const
  test.each([
    ['a registered contract only', C0, 'record', 'record', 0, 0],
    ['a deployer only', ALICE, 1, 'notFound', 1, 0],
    ['a withdrawer only', BOB, 1, 'notFound', 0, 1],
    ['deployer and withdrawer', BOTH, 2, 'notFound', 2, 1],
    ['a contract that pays itself', PAYS_ITSELF, 'record', 'record', 0, 1],
    ['a registered contract that is also a deployer', OWNS, 'record', 'record', 1, 0],
    ['a contract with code, unregistered', UNREGISTERED, 'notFound', 'notFound', 0, 0],
    ['any other address', holder(0xb9), 0, 'notFound', 0, 0],
    ['no address', 'chain1x', 'invalidArgument', 'invalidArgument', 'invalidArgument', 'invalidArgument'],
  ])('%s selects the expected operation', (_what, address, alone, contract, deployer, withdrawer) => {
    const ctx = chain()
    keeper.setShare(ctx, { contract: C0, deployer: ALICE, withdrawer: BOB })
    keeper.setShare(ctx, { contract: OTHERS[0], deployer: BOTH, withdrawer: BOTH })
    keeper.setShare(ctx, { contract: PAYS_ITSELF, deployer: BOTH, withdrawer: PAYS_ITSELF })
    keeper.setShare(ctx, { contract: OWNS, deployer: holder(0xc0), withdrawer: holder(0xc1) })
    keeper.setShare(ctx, { contract: OTHERS[1], deployer: OWNS, withdrawer: holder(0xc1) })
    putCode(ctx, UNREGISTERED, SILENT)
    const asked = typeof address === 'string' ? address : text(address)
    const roles = {
      contract: () => queries.feeShare(ctx, { contractAddress: asked }),
      deployer: () => queries.feeShares(ctx, { deployer: asked }),
      withdrawer: () => queries.feeSharesByWithdrawer(ctx, { withdrawerAddress: asked }),
    }
    const answer = (by: keyof typeof roles) => {
      try {
        const { feeshare } = roles[by]()
        return Array.isArray(feeshare) ? feeshare.length : 'record'
      } catch (error) {
        return (error as { status: string }).status
      }
    }
    expect(
      [keeper.operationOf(ctx, asked), 'contract', 'deployer', 'withdrawer'].map((by) => answer(by as never)),
    ).toEqual([alone, contract, deployer, withdrawer])
  })
})

describe('genesis', () => {
  const share = create(FeeShareSchema, request({ withdrawerAddress: BOB_TEXT }))
  const record = {
    contract_address: share.contractAddress,
    deployer_address: share.deployerAddress,
    withdrawer_address: share.withdrawerAddress,
  }
  const params = { enable_fee_share: true, developer_shares: '0.300000000000000000', allowed_denoms: ['unative'] }

  test('an exported document equals the imported one, indexes included', () => {
    const ctx = chain()
    devgas.genesis!.init(ctx, { params, fee_share: [record] })
    expect(devgas.genesis!.export(ctx)).toEqual({ params, fee_share: [record] })
    expect(queries.feeSharesByWithdrawer(ctx, { withdrawerAddress: BOB_TEXT }).feeshare.length).toBe(1)
  })

  test('refuses repeated contracts and invalid addresses with their index', () => {
    const init = (fee_share: object[]) => () => devgas.genesis!.init(chain(), { params, fee_share } as never)
    expect(init([record, record])).toThrow(`contract duplicated on genesis '${C0_TEXT}'`)
    expect(init([{ ...record, withdrawer_address: '' }])).toThrow('fee_share[0]: empty address string is not allowed')
    expect(() => devgas.genesis!.init(chain(), { params: { ...params, developer_shares: '1.1' } })).toThrow(
      'value cannot be greater than 1: 1.100000000000000000',
    )
  })
})
