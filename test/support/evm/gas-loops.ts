/** Transactions that spend their gas in a loop over one expensive thing, for measurements of time and of work for each gas. */
import { create } from '@bufbuild/protobuf'
import { ALMANAC_STORES } from '../../../src/app/stores.ts'
import { createEvm } from '../../../src/evm/host.ts'
import { executeMessage, type MessageResult } from '../../../src/evm/transition.ts'
import { FunTokenSchema } from '../../../src/gen/chain/evm/v1/evm_pb.ts'
import { ExchangeRateAtBlockSchema, ParamsSchema } from '../../../src/gen/chain/oracle/v1beta1/oracle_pb.ts'
import { DenomUnitSchema, MetadataSchema } from '../../../src/gen/sdk/bank/v1beta1/bank_pb.ts'
import * as address from '../../../src/identity/address.ts'
import { identityOf } from '../../../src/identity/profiles.ts'
import { auth as authModule } from '../../../src/modules/auth/index.ts'
import * as auth from '../../../src/modules/auth/keeper.ts'
import * as bank from '../../../src/modules/bank/keeper.ts'
import { encodeArguments, encodeCall } from '../../../src/modules/evm/calls/abi.ts'
import { blockEnv } from '../../../src/modules/evm/calls/block-env.ts'
import { deploy } from '../../../src/modules/evm/calls/message-calls.ts'
import { MINTER_ERC20_CREATION_CODE } from '../../../src/modules/evm/contracts/minter-erc20.ts'
import { localnetGenesis } from '../../../src/modules/evm/development/localnet.ts'
import { createEvmState } from '../../../src/modules/evm/evm-state.ts'
import { insert } from '../../../src/modules/evm/funtoken/mappings.ts'
import { evm } from '../../../src/modules/evm/index.ts'
import * as keeper from '../../../src/modules/evm/keeper.ts'
import { messages } from '../../../src/modules/evm/messages.ts'
import * as state from '../../../src/modules/evm/state.ts'
import * as oracle from '../../../src/modules/oracle/state.ts'
import { concat, EMPTY, encodeUint, formatHex, hex, utf8 } from '../../../src/primitives/bytes.ts'
import { keccak256, sha256 } from '../../../src/primitives/hash.ts'
import type { Context } from '../../../src/sdk/context.ts'
import { createContext, createTransient } from '../../../src/sdk/create-context.ts'
import { testContext } from '../../../src/sdk/testing.ts'
import { openMemory } from '../../../src/store/backend/memory.ts'
import { createBranch } from '../../../src/store/branch.ts'
import type { Branch } from '../../../src/store/types.ts'
import { openVersionedStore } from '../../../src/store/versioned.ts'
import { callOf, GAS_LEFT, type Kind, programOf, push, pushAddress } from './loop-code.ts'

const ALICE = new Uint8Array(20).fill(0xa1)
const BOB = new Uint8Array(20).fill(0xb0)
/** The contract that runs the loop. */
const LOOP = new Uint8Array(20).fill(0xc0)
/** A contract that passes its calldata to a precompile and reverts. */
const UNDO = new Uint8Array(20).fill(0xc1)
/** An account with coins and without code. */
const PLAIN = new Uint8Array(20).fill(0xc2)
/** Tokens by hand: one that counts transfers, and one that asks the precompile for a balance before it answers. */
const COUNTER = new Uint8Array(20).fill(0xd0)
const ASKING = new Uint8Array(20).fill(0xd1)
/** A contract of 24 KiB. */
const LARGE = new Uint8Array(20).fill(0xd2)
const GOLD = 'factory/x/gold'
const MANY = 500

const FUNTOKEN = 0x800n
const ORACLE = 0x801n
const WASM = 0x802n

const own = (precompile: bigint): string => push(precompile, 2)

export interface GasLoop {
  readonly name: string
  /** Whether the chain, and not Ethereum, determines its price. */
  readonly isOwn: boolean
  readonly code: Uint8Array
  readonly data?: Uint8Array
}

const RESERVE = 60_000

/** Loops over a precompile of the chain with the given calldata. */
function ofPrecompile(
  name: string,
  precompile: bigint,
  data: Uint8Array,
  { kind = 'call' as Kind, gas = GAS_LEFT } = {},
): GasLoop {
  // A failing call uses all its gas; a limit keeps the loop going.
  return { name, isOwn: true, data, code: programOf({ body: callOf(own(precompile), gas, kind), reserve: RESERVE }) }
}

export interface World {
  /** Calls of an ERC-20's `balanceOf`, with which the loops are compared: compiled code, memory, a hash, warm state. */
  readonly plain: GasLoop
  readonly loops: readonly GasLoop[]
  /** Opens a block on the state. Its function executes one transaction that runs a loop. */
  openBlock(wrap?: (branch: Branch) => Branch): (loop: GasLoop, gasLimit: bigint) => MessageResult
}

function place(ctx: Context, at: Uint8Array, code: Uint8Array): void {
  state.codes.set(ctx, keccak256(code), code)
  auth.setAccount(ctx, { ...auth.ensureAccount(ctx, at), codeHash: keccak256(code), sequence: 1n })
}

function fund(ctx: Context, to: Uint8Array, denom: string, amount: bigint): void {
  bank.mint(ctx, state.evmAccount, [{ denom, amount }])
  bank.send(ctx, state.evmAccount.address, to, [{ denom, amount }])
}

/** 36 bytes of calldata return slot 0; any other length adds one to it and returns 1. */
const COUNTING = '366024146016575f546001015f5560015f5260205ff35b5f545f5260205ff3'

/** Returns code of a token whose answer is a balance that it first asks the precompile for. */
function askingCode(): Uint8Array {
  const data = encodeCall('balance(address,address)', [BOB, ASKING])
  const stores = []
  for (let at = 0; at < data.length; at += 32) {
    const word = new Uint8Array(32)
    word.set(data.subarray(at, at + 32))
    stores.push(`7f${formatHex(word)}${push(at, 1)}52`)
  }
  return hex(`${stores.join('')}5f5f${push(data.length, 1)}5f${own(FUNTOKEN)}5afa5060015f5260205ff3`)
}

/** Builds loops for transactions with `txGas` gas, and the state: mappings of both kinds, prices, tokens that misbehave, and accounts with many denoms. */
export function gasWorld(txGas: number, profile = 'almanac'): World {
  const identity = identityOf(profile)!
  const root = testContext({ identity, modules: [authModule, evm], block: { height: 300n, gasLimit: 60_000_000n } })
  evm.genesis!.init(root, localnetGenesis(root))
  const { baseDenom } = identity
  fund(root, ALICE, baseDenom, 10n ** 15n)
  const units = [create(DenomUnitSchema, { denom: GOLD }), create(DenomUnitSchema, { denom: 'gold', exponent: 6 })]
  const metadata = { name: 'Gold', symbol: 'GOLD', base: GOLD, display: 'gold', denomUnits: units }
  bank.setMetadata(root, create(MetadataSchema, metadata))
  const sender = address.format(root, ALICE)
  const gold = messages.createFunToken(root, { sender, fromBankDenom: GOLD }).funtokenMapping!.erc20Addr
  const args = encodeArguments('string,string,uint8', ['Token', 'TOK', 18n])
  const token = deploy(root, concat(MINTER_ERC20_CREATION_CODE, args)).contract
  messages.createFunToken(root, { sender, fromErc20: token })
  place(root, COUNTER, hex(COUNTING))
  place(root, ASKING, askingCode())
  place(root, LARGE, new Uint8Array(24_576))
  place(root, UNDO, hex(`365f5f37${callOf(own(FUNTOKEN), GAS_LEFT)}5f5ffd`))
  for (const [contract, name] of [
    [COUNTER, 'counter'],
    [ASKING, 'asking'],
  ] as const) {
    insert(root, create(FunTokenSchema, { erc20Addr: contract, bankDenom: `factory/x/${name}`, isMadeFromCoin: false }))
  }
  const long = `factory/${'x'.repeat(120)}`
  for (const holder of [LOOP, UNDO, PLAIN]) {
    fund(root, holder, baseDenom, 10n ** 12n)
    fund(root, holder, GOLD, 10n ** 12n)
    fund(root, holder, long, 10n ** 12n)
    for (let i = 0; i < MANY; i++) fund(root, holder, `factory/x/many${i}`, 1000n)
  }
  // Enough gold tokens for every loop.
  const give = (who: Uint8Array, contract: Uint8Array) => {
    const data = encodeCall('mint(address,uint256)', [who, 10n ** 12n])
    execute(root, state.evmAccount.address, contract, data, 1_000_000n)
  }
  give(LOOP, gold)
  give(LOOP, token)
  fund(root, state.evmAccount.address, GOLD, 10n ** 12n)
  const rate = { exchangeRate: '65000500000000000000000', createdBlock: 299n, blockTimestampMs: 1_700_000_000_999n }
  oracle.exchangeRates.set(root, 'ubtc:uusd', create(ExchangeRateAtBlockSchema, rate))
  oracle.params.set(root, create(ParamsSchema, { expirationBlocks: 10n }))

  const store = openVersionedStore(openMemory(), { ...ALMANAC_STORES, keepHeights: 4 })
  store.commit({ height: 1n, changes: root.branchStore.changes() })
  const bech32 = (who: Uint8Array) => address.format(root, who)
  const bob = bech32(BOB)
  const loops = [
    ...ownLoops(txGas, { gold, token, bob, long, module: bech32(state.evmAccount.address) }),
    ...standardLoops(token),
  ]

  return {
    plain: {
      name: 'plain execution',
      isOwn: false,
      data: encodeCall('balanceOf(address)', [LOOP]),
      code: programOf({ body: callOf(pushAddress(token), GAS_LEFT, 'static'), reserve: RESERVE }),
    },
    loops,
    openBlock(wrap = (branch) => branch) {
      const { block, app } = root
      const branch = wrap(createBranch(store.at()))
      const ctx = createContext({ branch, transient: createTransient(), identity, app, block: { ...block } })
      return ({ code, data = EMPTY }, gasLimit) => {
        place(ctx, LOOP, code)
        const tx = ctx.branch()
        const result = execute(tx, ALICE, LOOP, data, gasLimit)
        tx.merge()
        return result
      }
    },
  }
}

function execute(ctx: Context, from: Uint8Array, to: Uint8Array, data: Uint8Array, gasLimit: bigint): MessageResult {
  const view = createEvmState(ctx)
  const rules = keeper.chainRules(ctx)
  const machine = createEvm({
    state: view,
    rules,
    block: blockEnv(ctx),
    tx: { origin: from, gasPrice: 0n, blobHashes: [] },
    precompiles: keeper.chainPrecompiles(rules),
  })
  const nonce = keeper.nonce(ctx, from)
  const result = executeMessage(machine, { from, to, nonce, gasLimit, valueWei: 0n, data })
  machine.journal.finalise()
  view.settle()
  return result
}

interface Names {
  readonly gold: Uint8Array
  readonly token: Uint8Array
  readonly bob: string
  readonly long: string
  readonly module: string
}

function ownLoops(txGas: number, { gold, token, bob, long, module }: Names): GasLoop[] {
  const hexBob = `0x${formatHex(BOB)}`
  const balance = (of: Uint8Array) => encodeCall('balance(address,address)', [BOB, of])
  const bankBalance = (denom: string) => encodeCall('bankBalance(address,string)', [LOOP, denom])
  const whoAmI = encodeCall('whoAmI(string)', [bob])
  const whoAmIHex = encodeCall('whoAmI(string)', [hexBob])
  const erc20Of = (denom: string) => encodeCall('getErc20Address(string)', [denom])
  const toBank = (of: Uint8Array, to = hexBob) => encodeCall('sendToBank(address,uint256,string)', [of, 1n, to])
  const toEvm = (denom: string) => encodeCall('sendToEvm(string,uint256,string)', [denom, 1n, hexBob])
  const send = (denom: string, to = hexBob) => encodeCall('bankMsgSend(string,string,uint256)', [to, denom, 1n])
  const rate = encodeCall('queryExchangeRate(string)', ['ubtc:uusd'])
  const round = encodeCall('chainLinkLatestRoundData(string)', ['ubtc:uusd'])
  const query = encodeCall('query(string,bytes)', ['chain1contract', EMPTY])
  const f = (name: string, data: Uint8Array, options?: Parameters<typeof ofPrecompile>[3]) =>
    ofPrecompile(`funtoken ${name}`, FUNTOKEN, data, options)
  const o = (name: string, data: Uint8Array, options?: Parameters<typeof ofPrecompile>[3]) =>
    ofPrecompile(`oracle ${name}`, ORACLE, data, options)
  const undo = (name: string, data: Uint8Array): GasLoop => ({
    name: `funtoken ${name}, each call reverted`,
    isOwn: true,
    data,
    code: programOf({ body: callOf(pushAddress(UNDO), GAS_LEFT), reserve: RESERVE }),
  })
  /** A first half of the gas changes accounts, a second half calls the precompile and reverts. */
  const afterChanges = (name: string, change: string): GasLoop => ({
    name: `funtoken whoAmI reverted, after ${name}`,
    isOwn: true,
    data: whoAmIHex,
    code: programOf(
      { body: change, reserve: txGas / 2 },
      { body: callOf(pushAddress(UNDO), GAS_LEFT), reserve: RESERVE },
    ),
  })
  /** Frames within frames, each of which calls the precompile first; the deepest loops. */
  const nested = (name: string, data: Uint8Array): GasLoop => {
    const head = `365f5f37${callOf(own(FUNTOKEN), GAS_LEFT)}${push(Math.floor(txGas / 3))}5a11`
    const loop = `${callOf(own(FUNTOKEN), GAS_LEFT)}${push(RESERVE)}5a11`
    const loopAt = head.length / 2 + 4
    const body = `5b${loop}${push(loopAt, 2)}5700`
    const deeperAt = loopAt + body.length / 2
    return {
      name: `funtoken ${name}, deep in frames`,
      isOwn: true,
      data,
      code: hex(`${head}${push(deeperAt, 2)}57${body}5b${callOf('30', GAS_LEFT)}00`),
    }
  }
  const padded = (data: Uint8Array, length: number) => concat(data, new Uint8Array(length))
  const limits = ['0', '999', '5384', '5600', '6500', '20000']
  return [
    f('whoAmI, Bech32', whoAmI),
    f('whoAmI, hexadecimal', whoAmIHex),
    f('whoAmI, static', whoAmI, { kind: 'static' }),
    f('whoAmI, delegated', whoAmI, { kind: 'delegate' }),
    f('bankBalance', bankBalance(GOLD)),
    f('bankBalance of the base denom', bankBalance('unative')),
    f('bankBalance of a long denom', bankBalance(long)),
    f('getErc20Address', erc20Of(GOLD)),
    f('balance of a coin', balance(gold)),
    f('balance of a token', balance(token)),
    f('balance of a short token', balance(COUNTER)),
    f('balance of a token that asks for a balance', balance(ASKING)),
    f('bankMsgSend', send(GOLD)),
    f('bankMsgSend of the base denom', send('unative')),
    f('bankMsgSend of a long denom', send(long)),
    f('bankMsgSend to itself', send(GOLD, `0x${formatHex(LOOP)}`)),
    f('sendToBank of a coin', toBank(gold, bob)),
    f('sendToBank of a token', toBank(token)),
    f('sendToBank of a short token', toBank(COUNTER)),
    f('sendToBank of a token that asks', toBank(ASKING), { gas: push(300_000) }),
    f('sendToEvm of a coin', toEvm(GOLD)),
    o('queryExchangeRate', rate),
    o('chainLinkLatestRoundData', round),
    o('queryExchangeRate, static', rate, { kind: 'static' }),
    // Failures: each uses all gas of its call, so the limit is the lowest that lets the work happen.
    f('bankMsgSend to a blocked account', send(GOLD, module), { gas: push(20_000) }),
    f('bankMsgSend, static', send(GOLD), { gas: push(13_000), kind: 'static' }),
    f('bankMsgSend, delegated', send(GOLD), { gas: push(13_000), kind: 'delegate' }),
    f('getErc20Address of an unknown denom', erc20Of('unosuch'), { gas: push(5_800) }),
    f('sendToEvm of an unknown denom', toEvm('unosuch'), { gas: push(13_200) }),
    f('whoAmI of nonsense', encodeCall('whoAmI(string)', ['nonsense']), { gas: push(5_300) }),
    f('whoAmI of a long text', encodeCall('whoAmI(string)', ['ü'.repeat(5_000)]), { gas: push(40_000) }),
    f('whoAmI without arguments', whoAmI.slice(0, 4), { gas: push(5_000) }),
    f('whoAmI with cut arguments', whoAmI.slice(0, 40), { gas: push(5_200) }),
    f('whoAmI with 100 kB behind it', padded(whoAmI, 100_000)),
    f('getErc20Address of 10 kB', erc20Of('a'.repeat(10_000)), { gas: push(40_000) }),
    f('sendToEvm of 1 kB with quotes', toEvm('"\u0001<'.repeat(330)), { gas: push(60_000) }),
    f('without input', EMPTY, { gas: push(25_000) }),
    f('unknown method', hex('deadbeef'), { gas: push(25_000) }),
    f('unknown method with 100 kB', padded(hex('deadbeef'), 100_000), { gas: push(25_000) }),
    ofPrecompile('wasm query', WASM, query, { gas: push(5_600) }),
    o('queryExchangeRate of an unknown pair', encodeCall('queryExchangeRate(string)', ['ueth:uusd']), {
      gas: push(4_000),
    }),
    o('queryExchangeRate of nonsense', encodeCall('queryExchangeRate(string)', ['a:b:c']), { gas: push(5_300) }),
    ...limits.map((gas) => f(`whoAmI with ${gas} gas`, whoAmI, { gas: push(Number(gas)) })),
    ...limits.map((gas) => f(`bankBalance with ${gas} gas`, bankBalance(GOLD), { gas: push(Number(gas)) })),
    ...['12680', '16000', '24000', '32000', '48000'].map((gas) =>
      f(`bankMsgSend with ${gas} gas`, send(GOLD), { gas: push(Number(gas)) }),
    ),
    ...['16000', '32000', '48000', '64000', '96000'].map((gas) =>
      f(`sendToBank of a coin with ${gas} gas`, toBank(gold), { gas: push(Number(gas)) }),
    ),
    undo('whoAmI', whoAmIHex),
    undo('bankBalance', bankBalance(GOLD)),
    undo('bankMsgSend', send(GOLD)),
    afterChanges('transfers of value', callOf(pushAddress(PLAIN), '5f', 'call', '6001')),
    afterChanges('transfers of value to itself', callOf('30', '5f', 'call', '6001')),
    afterChanges('writes of slots', '60015a55'),
    afterChanges('creations', '5f5f5ff050'),
    nested('whoAmI', whoAmIHex),
    nested('bankBalance', bankBalance(GOLD)),
    nested('bankMsgSend', send(GOLD)),
    nested('getErc20Address', erc20Of(GOLD)),
    nested('sendToBank of a short token', toBank(COUNTER)),
  ]
}

function standardLoops(token: Uint8Array): GasLoop[] {
  const loop = (name: string, body: string, data = EMPTY): GasLoop => ({
    name,
    isOwn: false,
    data,
    code: programOf({ body, reserve: RESERVE }),
  })
  /** Repeats the body as often as the reserve pays for. */
  const unrolled = (name: string, body: string, times = 32) => loop(name, body.repeat(times))
  const standard = (name: string, at: number, data: Uint8Array) =>
    loop(name, callOf(push(at, 1), GAS_LEFT, 'static'), data)
  const cold = '5a5a5a02025a02'
  return [
    unrolled('ADDRESS ISZERO POP', '301550'),
    loop('ERC-20 transfer', callOf(pushAddress(token), GAS_LEFT), encodeCall('transfer(address,uint256)', [BOB, 1n])),
    unrolled('KECCAK256 of a word', '60205f2050'),
    unrolled('SLOAD, warm', '5f5450'),
    unrolled('SSTORE, warm', '5a5f55'),
    unrolled('TSTORE', '5a5f5d'),
    unrolled('BALANCE, warm', '303150'),
    unrolled('EXTCODEHASH, warm', '303f50'),
    unrolled('EXTCODESIZE, warm', '303b50'),
    unrolled('EXTCODECOPY of a word, warm', '60205f5f303c'),
    unrolled('BLOCKHASH', '61012b4050'),
    unrolled('BLOCKHASH outside of the window', '5f4050'),
    unrolled('LOG0', '5f5fa0'),
    unrolled('LOG4', '5f5f5f5f5f5fa4'),
    unrolled('LOG0 of 32 bytes', '60205fa0'),
    unrolled('SLOAD, cold', '5a5450', 16),
    unrolled('SSTORE, new slots', '5a5a55', 2),
    unrolled('BALANCE, cold', `${cold}3150`, 16),
    unrolled('EXTCODEHASH, cold', `${cold}3f50`, 16),
    loop('EXTCODECOPY of 24 KiB', `6160005f5f${pushAddress(LARGE)}3c`),
    unrolled('CALL of an empty account', callOf(pushAddress(PLAIN), '5f')),
    loop('CALL of a short contract', callOf(pushAddress(COUNTER), GAS_LEFT, 'static'), new Uint8Array(36)),
    unrolled('CALL with value', callOf(pushAddress(PLAIN), '5f', 'call', '6001'), 4),
    unrolled('CREATE without code', '5f5f5ff050', 1),
    standard('identity', 4, new Uint8Array(32)),
    unrolled('identity without gas', callOf('6004', '5f', 'static')),
    standard('sha256', 2, new Uint8Array(32)),
    standard('ecrecover', 1, concat(sha256(utf8('m')), encodeUint(27n, 32), sha256(utf8('r')), encodeUint(1n, 32))),
  ]
}
