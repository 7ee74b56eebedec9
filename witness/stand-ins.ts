/**
 * A machine that plays recorded blocks. Everything built is executed; of messages that are not, the coins that moved are
 * taken from their events at the moment it happened.
 */
import { create, type Message } from '@bufbuild/protobuf'
import { createApplication } from '../src/app/application.ts'
import { modules as builtModules } from '../src/app/modules.ts'
import type { Application } from '../src/app/types.ts'
import * as address from '../src/identity/address.ts'
import type { Identity } from '../src/identity/types.ts'
import { decodeAccount } from '../src/modules/auth/account-codec.ts'
import * as auth from '../src/modules/auth/keeper.ts'
import { ofModule, parseEvm } from '../src/primitives/address.ts'
import { concat, equal } from '../src/primitives/bytes.ts'
import { ChainError } from '../src/primitives/errors.ts'
import type { Context } from '../src/sdk/context.ts'
import { defineModule, type Module, type Route } from '../src/sdk/module.ts'
import type { Change, Reader } from '../src/store/types.ts'
import { DONE, decodeRecorded, FOREIGN, type ForeignMessage, type WitnessTx } from './foreign.ts'
import { applyMovement, type Movement, movementsOf } from './movements.ts'
import type { RecordedBlock, RecordedEvent, RecordedResult } from './recording.ts'
import { type Touched, UNBUILT_PRECOMPILES } from './touched.ts'

/** The block in play: what is taken from the recording, and where its execution has come to. */
interface Play {
  readonly block: RecordedBlock
  /** As the execution gets them. */
  readonly txs: readonly Uint8Array[]
  readonly recorded: readonly Change[]
  readonly touched: Touched
  /** Index of the transaction that runs; -1 before the first. */
  tx: number
  /** Index of the message that runs. */
  message: number
  decoded: WitnessTx | undefined
  /** What admission moved after the fee, of a transaction whose messages have not begun. */
  readonly payouts: Movement[]
}

export interface Player {
  /** The application of a node, with substitutes for what it does not execute. */
  readonly app: Application
  /** Sets the block to execute next. `touched` collects the parts of built stores that are left to the recording. */
  begin(block: RecordedBlock, txs: readonly Uint8Array[], recorded: readonly Change[], touched: Touched): void
}

export interface PlayerOptions {
  readonly identity: Identity
  readonly chainId: string
  readonly evmChainId: bigint
  /** Told of failures that no transaction may have. */
  readonly onBug: (error: unknown) => void
}

const POOLS: readonly Uint8Array[] = ['bonded_tokens_pool', 'not_bonded_tokens_pool'].map(ofModule)

const accountKey = (bytes: Uint8Array): Uint8Array => concat(Uint8Array.of(0x01), bytes)
const codeKey = (codeHash: Uint8Array): Uint8Array => concat(Uint8Array.of(0x01), codeHash)

/** Whether a transaction paid its fee: what follows admission may still have failed. */
const wasAdmitted = ({ code, events }: RecordedResult): boolean =>
  code === 0 || events.some(({ type }) => type === 'tx')

/** The first failing message that a log names. */
function failedMessage(log: string): number | undefined {
  const match = /message index: (\d+)/.exec(log)
  return match ? Number(match[1]) : undefined
}

/** Events of one message of a transaction that succeeded. */
function eventsOfMessage({ log }: RecordedResult, index: number): readonly RecordedEvent[] {
  const parts = JSON.parse(log) as { readonly msg_index?: number; readonly events: readonly RecordedEvent[] }[]
  return parts.find((part) => (part.msg_index ?? 0) === index)?.events ?? []
}

/** Events before those of the messages: what admission did. */
function eventsOfAdmission({ events }: RecordedResult): readonly RecordedEvent[] {
  const end = events.findIndex(
    ({ type, attributes }) => type === 'message' && attributes.some(({ key }) => key === 'action'),
  )
  return end < 0 ? events : events.slice(0, end)
}

function failure({ codespace, code, log }: RecordedResult): ChainError {
  return new ChainError(codespace, { code, status: 'unknown', text: log }, log)
}

/** Wraps a state so that reads of accounts of precompiles that are not built are noted. */
function watchPrecompiles(parent: Reader, touched: Touched): Reader {
  const look = (store: string, key: Uint8Array): void => {
    if (store !== 'acc' || key.length !== 21 || key[0] !== 1) return
    for (let i = 1; i < 19; i++) if (key[i] !== 0) return
    const module = UNBUILT_PRECOMPILES.get((key[19]! << 8) | key[20]!)
    if (module !== undefined) touched.precompile(module)
  }
  return {
    get(store, key) {
      look(store, key)
      return parent.get(store, key)
    },
    has: parent.has,
    iterate: parent.iterate,
  }
}

export function createPlayer({ identity, chainId, evmChainId, onBug }: PlayerOptions): Player {
  let play: Play | undefined
  const current = (): Play => {
    if (!play) throw new Error('no block is played')
    return play
  }
  const result = (): RecordedResult => current().block.results[current().tx]!

  const last = defineModule({ name: 'recorded', stores: [], endBlock: payOut })

  /** The end of staking's block; where its writes are left to the recording, the coins that it moved. */
  function endStaking(ctx: Context, { endBlock }: Module): void {
    if (!current().touched.isStakingLost()) {
      endBlock?.(ctx)
      return
    }
    const pools = POOLS.map((pool) => address.format(ctx, pool))
    for (const movement of movementsOf(current().block.endBlockEvents)) {
      if (pools.includes(movement.from) && !movement.isBurn) applyMovement(ctx, movement)
    }
  }

  const modules: readonly Module[] = [
    ...builtModules.map((module) =>
      module.name === 'staking' ? { ...module, endBlock: (ctx: Context) => endStaking(ctx, module) } : module,
    ),
    last,
  ]

  /** A foreign message: it failed as recorded, or did what its events say. */
  function playForeign(ctx: Context, foreign: ForeignMessage): void {
    const recorded = result()
    if (recorded.code !== 0) {
      const failed = failedMessage(recorded.log)
      if (failed === undefined || failed === foreign.index) throw failure(recorded)
      return
    }
    const events = eventsOfMessage(recorded, foreign.index)
    for (const movement of movementsOf(events)) applyMovement(ctx, movement)
    for (const module of foreign.modules) current().touched.by(module, events)
  }

  const isForeignTx = (): boolean => (current().decoded?.foreign.size ?? 0) > 0

  /** A message that is executed, in a transaction whose others may not be. */
  function besideForeign(route: Route<Context>): Route<Context> {
    const index = current().message
    const handle = (ctx: Context, message: Message): Message => {
      const recorded = result()
      // A transaction that fails keeps what admission did: it is paid out at the end of the block.
      if (recorded.code === 0) payOut(ctx)
      // What foreign messages cost is not known.
      if (isForeignTx() && recorded.code === 11 && recorded.codespace === 'sdk') throw failure(recorded)
      const response = route.handle(ctx, message)
      if (recorded.code === 0) takeRecordedCode(ctx, eventsOfMessage(recorded, index))
      return response
    }
    return { ...route, handle }
  }

  const foreignRoute: Route<Context> = {
    method: { input: FOREIGN, output: DONE } as unknown as Route<Context>['method'],
    handle(ctx) {
      if (result().code === 0) payOut(ctx)
      playForeign(ctx, current().decoded!.foreign.get(current().message)!)
      return create(DONE)
    },
  }

  /** From here on the contract of a coin runs the code that the reference compiled, not ours. */
  function takeRecordedCode(ctx: Context, events: readonly RecordedEvent[]): void {
    const { recorded, touched } = current()
    for (const { type, attributes } of events) {
      if (!type.endsWith('.EventFunTokenCreated')) continue
      const of = (key: string) => JSON.parse(attributes.find((one) => one.key === key)?.value ?? 'null') as unknown
      const contract = of('is_made_from_coin') === true ? parseEvm(String(of('erc20_contract_address'))) : undefined
      const ours = contract && auth.getAccount(ctx, contract)
      const stored = contract && recorded.find(({ store, key }) => store === 'acc' && equal(key, accountKey(contract)))
      if (!ours || !stored?.value) continue
      const { codeHash } = decodeAccount(identity, contract, stored.value)
      const code = recorded.find(({ store, key }) => store === 'evm' && equal(key, codeKey(codeHash)))?.value
      if (!code) continue
      touched.code(ours.codeHash)
      touched.code(codeHash)
      ctx.store.set('evm', codeKey(codeHash), code)
      auth.setAccount(ctx, { ...ours, codeHash })
    }
  }

  /** Collects the shares of the fee that authors of wasm contracts get; they are paid once the fee is. */
  function collectPayouts(ctx: Context): void {
    const collector = address.format(ctx, auth.feeCollector.address)
    const movements = movementsOf(eventsOfAdmission(result()))
    current().payouts.push(...movements.filter(({ from }) => from === collector))
  }

  function payOut(ctx: Context): void {
    for (const movement of current().payouts.splice(0)) applyMovement(ctx, movement)
  }

  const app = createApplication({
    identity,
    chainId,
    evmChainId,
    settings: { minGasPrices: '' },
    modules,
    upgrades: [],
    onBug,
    substitution: {
      over: (base) => watchPrecompiles(base, current().touched),
      decode(facts, bytes) {
        const now = current()
        now.tx = now.txs.indexOf(bytes)
        now.message = -1
        now.touched.nextTx(now.tx)
        now.decoded = undefined
        now.decoded = decodeRecorded(facts, identity, bytes, result())
        return now.decoded.tx
      },
      beforeAdmission(ctx) {
        if (!isForeignTx()) return
        // Only the recording knows who signed a foreign message that was refused, and why.
        if (!wasAdmitted(result())) throw failure(result())
        collectPayouts(ctx)
      },
      route(typeName, own) {
        current().message++
        if (typeName === FOREIGN.typeName) return foreignRoute
        // Transactions of genesis belong to no block.
        return own && (current().tx < 0 ? own : besideForeign(own))
      },
    },
  })

  return {
    app,
    begin(block, txs, recorded, touched) {
      play = { block, txs, recorded, touched, tx: -1, message: -1, decoded: undefined, payouts: [] }
    },
  }
}
