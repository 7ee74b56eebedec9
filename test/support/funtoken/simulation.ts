/**
 * Random conversions, transfers and reverts over good and hostile tokens, with the invariants after each: no coin is created
 * from nothing, circulating tokens are backed by locked coins, and no contract stops the chain or a query.
 */
import { create } from '@bufbuild/protobuf'
import { createEvm } from '../../../src/evm/host.ts'
import { executeMessage } from '../../../src/evm/transition.ts'
import { DenomUnitSchema, MetadataSchema } from '../../../src/gen/sdk/bank/v1beta1/bank_pb.ts'
import * as bech32 from '../../../src/identity/address.ts'
import { almanac } from '../../../src/identity/profiles/almanac.ts'
import { auth as authModule } from '../../../src/modules/auth/index.ts'
import * as bank from '../../../src/modules/bank/keeper.ts'
import * as bankState from '../../../src/modules/bank/state.ts'
import { type AbiValue, encodeArguments, encodeCall } from '../../../src/modules/evm/calls/abi.ts'
import { blockEnv } from '../../../src/modules/evm/calls/block-env.ts'
import { deploy } from '../../../src/modules/evm/calls/message-calls.ts'
import { localnetGenesis } from '../../../src/modules/evm/development/localnet.ts'
import { createEvmState } from '../../../src/modules/evm/evm-state.ts'
import { evm } from '../../../src/modules/evm/index.ts'
import * as keeper from '../../../src/modules/evm/keeper.ts'
import { messages } from '../../../src/modules/evm/messages.ts'
import { queries } from '../../../src/modules/evm/queries.ts'
import { evmAccount } from '../../../src/modules/evm/state.ts'
import { formatEip55 } from '../../../src/primitives/address.ts'
import { concat, decodeUint, encodeUint, hex, padLeft } from '../../../src/primitives/bytes.ts'
import { ChainError } from '../../../src/primitives/errors.ts'
import { keccak256 } from '../../../src/primitives/hash.ts'
import type { Context } from '../../../src/sdk/context.ts'
import { testContext } from '../../../src/sdk/testing.ts'
import { createGasMeter } from '../../../src/store/gas.ts'

const MODULE = evmAccount.address
export const FUNTOKEN = encodeUint(0x800n, 20)
const WNATIVE = hex('0cacf669f8446beca826913a3c6b96acd4b02a97')
const GOLD = 'factory/x/gold'
const BASE = 'unative'
const FUNDS = 1_000_000n
const MESSAGE_GAS = 5_000_000n
const TX_GAS = 3_000_000n
const UNIT = 10n ** 12n

/** Tokens whose balances match their storage: their coins are covered one to one. */
const COVERED = ['Honest', 'FeeOnTransfer', 'Reentrant', 'Slow']
/** Tokens that cannot be converted. */
const STUCK = ['Endless', 'EndlessView', 'Refusing', 'Speechless']
/** Tokens that report false balances: only the sum of their coins can be checked. */
const LYING = ['Liar', 'Inflating', 'LongName', 'Recursive']

type Random = (below: number) => number

/** Returns a generator of numbers that a seed determines (mulberry32). */
function randomOf(seed: number): Random {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

export interface World {
  readonly ctx: Context
  readonly users: readonly Uint8Array[]
  readonly router: Uint8Array
  readonly gold: Uint8Array
  /** ERC-20 contracts by name, each mapped to a new coin. */
  readonly tokens: ReadonlyMap<string, Uint8Array>
}

function fund(ctx: Context, to: Uint8Array, denom: string, amount: bigint): void {
  bank.mint(ctx, evmAccount, [{ denom, amount }])
  bank.send(ctx, MODULE, to, [{ denom, amount }])
}

/** Executes a transaction of the EVM. Returns whether it succeeded. */
export function transact(ctx: Context, from: Uint8Array, to: Uint8Array, data: Uint8Array): boolean {
  const view = createEvmState(ctx)
  const rules = keeper.chainRules(ctx)
  const precompiles = keeper.chainPrecompiles(rules)
  const tx = { origin: from, gasPrice: 0n, blobHashes: [] }
  const machine = createEvm({ state: view, rules, block: blockEnv(ctx), tx, precompiles })
  const nonce = keeper.nonce(ctx, from)
  const { success } = executeMessage(machine, { from, to, nonce, gasLimit: TX_GAS, valueWei: 0n, data })
  machine.journal.finalise()
  view.settle()
  return success
}

/** Creates users and a router with funds, a coin with its ERC-20, and tokens of every kind with their coins. */
export function createWorld(code: ReadonlyMap<string, Uint8Array>, identity = almanac): World {
  const ctx = testContext({ identity, modules: [authModule, evm], block: { gasLimit: 60_000_000n } })
  evm.genesis!.init(ctx, localnetGenesis(ctx))
  const users = [1, 2, 3].map((n) => new Uint8Array(20).fill(0xa0 + n))
  const router = deploy(ctx, code.get('Router')!).contract
  for (const holder of [...users, router]) {
    fund(ctx, holder, GOLD, FUNDS)
    fund(ctx, holder, BASE, 200_000_000_000n)
  }
  const units = [create(DenomUnitSchema, { denom: GOLD }), create(DenomUnitSchema, { denom: 'gold', exponent: 6 })]
  const metadata = { name: 'Gold', symbol: 'GOLD', base: GOLD, display: 'gold', denomUnits: units }
  bank.setMetadata(ctx, create(MetadataSchema, metadata))
  const sender = bech32.format(ctx, users[0]!)
  const gold = messages.createFunToken(ctx, { sender, fromBankDenom: GOLD }).funtokenMapping!.erc20Addr
  const tokens = new Map<string, Uint8Array>()
  for (const name of [...COVERED, ...STUCK, ...LYING]) {
    const token = deploy(ctx, code.get(name)!).contract
    messages.createFunToken(ctx, { sender, fromErc20: token })
    tokens.set(name, token)
    for (const holder of [...users, router]) {
      transact(ctx, users[0]!, token, encodeCall('mint(address,uint256)', [holder, FUNDS]))
    }
  }
  const reentrant = tokens.get('Reentrant')!
  const arm = encodeCall('arm(string,string)', [denomOf(reentrant), formatEip55(users[2]!)])
  if (!transact(ctx, users[0]!, reentrant, arm)) throw new Error('the reentrant token is not armed')
  return { ctx, users, router, gold, tokens }
}

export const denomOf = (token: Uint8Array) => `erc20/${formatEip55(token)}`

const pick = <T>(random: Random, list: readonly T[]): T => list[random(list.length)]!

/** Returns a random amount: usually one that a holder can have, sometimes far more, or zero. */
function amountOf(random: Random): bigint {
  const kind = random(20)
  if (kind === 0) return (1n << 256n) - 1n
  if (kind === 1) return 0n
  return BigInt(1 + random(kind < 5 ? 2_000_000 : 5000))
}

function randomDenom({ tokens }: World, random: Random): string {
  return pick(random, [GOLD, GOLD, BASE, ...[...tokens.values()].map(denomOf)])
}

function randomToken({ gold, tokens }: World, random: Random): Uint8Array {
  return pick(random, [gold, gold, WNATIVE, ...tokens.values()])
}

interface Call {
  readonly to: Uint8Array
  readonly data: Uint8Array
}

/** Returns a random call of an account or a contract in the EVM. */
function randomCall(world: World, random: Random): Call {
  const { users, router } = world
  const receiver = pick(random, [...users, router])
  const amount = amountOf(random)
  const to = formatEip55(receiver)
  switch (random(4)) {
    case 0:
      return { to: randomToken(world, random), data: encodeCall('transfer(address,uint256)', [receiver, amount]) }
    case 1: {
      const args: AbiValue[] = [randomToken(world, random), amount, to]
      return { to: FUNTOKEN, data: encodeCall('sendToBank(address,uint256,string)', args) }
    }
    case 2: {
      const args: AbiValue[] = [randomDenom(world, random), amount, to]
      return { to: FUNTOKEN, data: encodeCall('sendToEvm(string,uint256,string)', args) }
    }
    default: {
      const args: AbiValue[] = [to, randomDenom(world, random), amount]
      return { to: FUNTOKEN, data: encodeCall('bankMsgSend(string,string,uint256)', args) }
    }
  }
}

/** A step of the router; its source defines the flags. */
export interface Step extends Call {
  readonly flags: number
}

/** Encodes the calldata of the router: a list of tuples, which the module's encoder does not support. */
export function routed(calls: readonly Step[]): Uint8Array {
  const steps = calls.map(({ to, data, flags }) =>
    encodeArguments('(address,bytes,uint8)', [[to, data, BigInt(flags)]]).subarray(32),
  )
  let offset = BigInt(32 * steps.length)
  const heads = steps.map((step) => {
    const head = encodeUint(offset, 32)
    offset += BigInt(step.length)
    return head
  })
  const list = concat(encodeUint(32n, 32), encodeUint(BigInt(steps.length), 32), ...heads, ...steps)
  return concat(keccak256(Buffer.from('run((address,bytes,uint8)[])')).slice(0, 4), list)
}

function randomSteps(world: World, random: Random): Step[] {
  return Array.from({ length: 1 + random(4) }, () => ({ ...randomCall(world, random), flags: random(4) }))
}

/** Runs a message of the chain in its own branch, as a transaction would. Returns whether it succeeded. */
function send(ctx: Context, run: (branch: Context) => void): boolean {
  const branch = ctx.branch({ gas: createGasMeter(MESSAGE_GAS) })
  try {
    run(branch)
  } catch (error) {
    if (error instanceof ChainError) return false
    throw error
  }
  branch.merge()
  return true
}

/** Runs one random step. Returns whether it succeeded. */
function step(world: World, random: Random): boolean {
  const { ctx, users, router } = world
  const from = pick(random, users)
  const sender = bech32.format(ctx, from)
  const amount = amountOf(random).toString()
  switch (random(4)) {
    case 0: {
      const bankCoin = { denom: randomDenom(world, random), amount }
      const toEthAddr = pick(random, [...users, router])
      return send(ctx, (branch) => messages.convertCoinToEvm(branch, { sender, toEthAddr, bankCoin }))
    }
    case 1: {
      const toAddr = formatEip55(pick(random, [...users, router, MODULE]))
      const erc20Addr = randomToken(world, random)
      return send(ctx, (branch) => messages.convertEvmToCoin(branch, { sender, erc20Addr, amount, toAddr }))
    }
    case 2: {
      const { to, data } = randomCall(world, random)
      return transact(ctx, from, to, data)
    }
    default:
      return transact(ctx, from, router, routed(randomSteps(world, random)))
  }
}

function slotOf(ctx: Context, contract: Uint8Array, slot: Uint8Array): bigint {
  return decodeUint(keeper.storage(ctx, contract, slot))
}

/** Returns an entry of the mapping in a slot. */
function entryOf(ctx: Context, contract: Uint8Array, holder: Uint8Array, slot: bigint): bigint {
  return slotOf(ctx, contract, keccak256(concat(padLeft(holder, 32), encodeUint(slot, 32))))
}

function requireEqual(what: string, a: bigint, b: bigint): void {
  if (a !== b) throw new Error(`${what}: ${a} is not ${b}`)
}

/** Throws unless every supply is the sum of the balances; for the base coin including remainders below one unit. */
function checkSupplies({ ctx }: World): void {
  const sums = new Map<string, bigint>()
  for (const [[, denom], amount] of bankState.balances.iterate(ctx)) sums.set(denom, (sums.get(denom) ?? 0n) + amount)
  let wei = 0n
  for (const [, remainder] of bankState.remainders.iterate(ctx)) wei += remainder
  requireEqual('wei below a unit', wei % UNIT, 0n)
  sums.set(BASE, sums.get(BASE)! + wei / UNIT)
  for (const [denom, supply] of bankState.supplies.iterate(ctx)) {
    requireEqual(`supply of ${denom}`, supply, sums.get(denom) ?? 0n)
    if (supply >= 1n << 256n) throw new Error(`supply of ${denom} is ${supply}`)
  }
}

/** Throws unless the circulating amount of one form is locked in the other. */
function checkLocked(world: World, start: { readonly gold: bigint; readonly base: bigint }): void {
  const { ctx, gold, tokens, users, router } = world
  requireEqual('gold in the bank', bank.supply(ctx, GOLD), start.gold)
  requireEqual('the base coin', bank.supply(ctx, BASE), start.base)
  requireEqual('gold in the EVM', bank.balance(ctx, MODULE, GOLD), slotOf(ctx, gold, encodeUint(2n, 32)))
  for (const name of COVERED) {
    const token = tokens.get(name)!
    requireEqual(`coins of ${name}`, bank.supply(ctx, denomOf(token)), entryOf(ctx, token, MODULE, 0n))
  }
  for (const name of STUCK) requireEqual(`coins of ${name}`, bank.supply(ctx, denomOf(tokens.get(name)!)), 0n)
  const wrapped = [...users, router].reduce((sum, holder) => sum + entryOf(ctx, WNATIVE, holder, 3n), 0n)
  requireEqual('the wrapped coin', bank.balanceWei(ctx, WNATIVE), wrapped)
}

/** Throws unless queries answer, whatever a contract does. */
function checkQueries(world: World, random: Random): void {
  const { ctx, users } = world
  const token = formatEip55(randomToken(world, random))
  const { bank: coins } = queries.balance(ctx, { address: formatEip55(pick(random, users)), token })
  if (!coins) throw new Error(`no bank part for ${token}`)
  queries.funToken(ctx, { token })
}

export interface Outcome {
  readonly succeeded: number
  readonly failed: number
}

/** Runs the steps of a seed and checks the invariants after each. Throws for a broken invariant, with the seed and the step. */
export function simulate(code: ReadonlyMap<string, Uint8Array>, seed: number, steps: number): Outcome {
  const world = createWorld(code)
  const { ctx } = world
  const random = randomOf(seed)
  const start = { gold: bank.supply(ctx, GOLD), base: bank.supply(ctx, BASE) }
  let succeeded = 0
  for (let i = 0; i < steps; i++) {
    try {
      if (step(world, random)) succeeded++
      checkSupplies(world)
      checkLocked(world, start)
      if (i % 10 === 0) checkQueries(world, random)
    } catch (error) {
      throw new Error(`seed ${seed}, step ${i}`, { cause: error })
    }
  }
  return { succeeded, failed: steps - succeeded }
}
