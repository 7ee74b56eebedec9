/**
 * The application for replays: a node's application with substitutes for what this build does not execute, by the hook of
 * `src/app/substitution.ts`. A substitute moves the coins that the recorded events report, at the point of the execution where
 * they moved.
 */
import { create, type Message } from '@bufbuild/protobuf'
import { createApplication } from '../src/app/application.ts'
import { modules as builtModules } from '../src/app/modules.ts'
import type { Application } from '../src/app/types.ts'
import * as address from '../src/identity/address.ts'
import type { Identity } from '../src/identity/types.ts'
import * as auth from '../src/modules/auth/keeper.ts'
import { ofModule } from '../src/primitives/address.ts'
import { ChainError } from '../src/primitives/errors.ts'
import type { Context } from '../src/sdk/context.ts'
import { defineModule, type Module, type Route } from '../src/sdk/module.ts'
import type { Change, Reader } from '../src/store/types.ts'
import { type Exclusions, UNBUILT_PRECOMPILES } from './exclusions.ts'
import { applyMovement, type Movement, movementsOf } from './movements.ts'
import {
  decodeRecorded,
  type RecordedTx,
  SUBSTITUTE,
  SUBSTITUTE_RESPONSE,
  type SubstitutedMessage,
} from './recorded-tx.ts'
import type { RecordedBlock, RecordedEvent, RecordedResult } from './recording.ts'

/** The recorded block that executes, and how far its execution is. */
interface CurrentBlock {
  readonly block: RecordedBlock
  /** The same arrays that the execution receives, so that a transaction is found by identity. */
  readonly txs: readonly Uint8Array[]
  readonly recorded: readonly Change[]
  readonly exclusions: Exclusions
  /** Index of the current transaction; -1 before the first. */
  tx: number
  /** Index of the current message; -1 before the first. */
  message: number
  decoded: RecordedTx | undefined
  /** Fee shares of Wasm contracts that the current transaction pays after its fee. */
  readonly pendingFeeShares: Movement[]
}

export interface ReplayApplication {
  /** The application of a node, with substitutes. */
  readonly app: Application
  /** Sets the block that executes next. Its execution adds to `exclusions`. */
  setBlock(block: RecordedBlock, txs: readonly Uint8Array[], recorded: readonly Change[], exclusions: Exclusions): void
}

interface ReplayApplicationOptions {
  readonly identity: Identity
  readonly chainId: string
  readonly evmChainId: bigint
  /** Receives unexpected failures: no transaction may cause them. */
  readonly onBug: (error: unknown) => void
}

const POOLS: readonly Uint8Array[] = ['bonded_tokens_pool', 'not_bonded_tokens_pool'].map(ofModule)

/** Whether a transaction paid its fee. Its messages can have failed all the same. */
const wasAdmitted = ({ code, events }: RecordedResult): boolean =>
  code === 0 || events.some(({ type }) => type === 'tx')

/** Returns the index of the failed message that a log names. */
function failedMessage(log: string): number | undefined {
  const match = /message index: (\d+)/.exec(log)
  return match ? Number(match[1]) : undefined
}

/** Returns the events of one message of a successful transaction. */
function eventsOfMessage({ log }: RecordedResult, index: number): readonly RecordedEvent[] {
  const parts = JSON.parse(log) as { readonly msg_index?: number; readonly events: readonly RecordedEvent[] }[]
  return parts.find((part) => (part.msg_index ?? 0) === index)?.events ?? []
}

/** Returns the events of admission, which precede those of the messages. */
function eventsOfAdmission({ events }: RecordedResult): readonly RecordedEvent[] {
  const end = events.findIndex(
    ({ type, attributes }) => type === 'message' && attributes.some(({ key }) => key === 'action'),
  )
  return end < 0 ? events : events.slice(0, end)
}

function failure({ codespace, code, log }: RecordedResult): ChainError {
  return new ChainError(codespace, { code, status: 'unknown', text: log }, log)
}

/** Returns a reader of the same state that adds reads of accounts of unbuilt precompiles to the exclusions. */
function watchPrecompiles(parent: Reader, exclusions: Exclusions): Reader {
  const check = (store: string, key: Uint8Array): void => {
    if (store !== 'acc' || key.length !== 21 || key[0] !== 1) return
    for (let i = 1; i < 19; i++) if (key[i] !== 0) return
    const module = UNBUILT_PRECOMPILES.get((key[19]! << 8) | key[20]!)
    if (module !== undefined) exclusions.addPrecompile(module)
  }
  return {
    get(store, key) {
      check(store, key)
      return parent.get(store, key)
    },
    has: parent.has,
    iterate: parent.iterate,
  }
}

/** Creates the application. `setBlock` must precede the execution of each block. */
export function createReplayApplication({
  identity,
  chainId,
  evmChainId,
  onBug,
}: ReplayApplicationOptions): ReplayApplication {
  let block: CurrentBlock | undefined
  const current = (): CurrentBlock => {
    if (!block) throw new Error('setBlock must precede the execution of a block')
    return block
  }
  const result = (): RecordedResult => current().block.results[current().tx]!

  const last = defineModule({ name: 'recorded', stores: [], endBlock: payFeeShares })

  /** Runs staking's end hook, or moves the coins of its recorded events if the writes of staking are excluded. */
  function endStaking(ctx: Context, { endBlock }: Module): void {
    if (!current().exclusions.isStakingExcluded()) {
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

  /** Substitutes a message: fails as recorded, or moves the coins of the recorded events. */
  function substitute(ctx: Context, message: SubstitutedMessage): void {
    const recorded = result()
    if (recorded.code !== 0) {
      const failed = failedMessage(recorded.log)
      if (failed === undefined || failed === message.index) throw failure(recorded)
      return
    }
    const events = eventsOfMessage(recorded, message.index)
    for (const movement of movementsOf(events)) applyMovement(ctx, movement)
    for (const module of message.modules) current().exclusions.addMessage(module, events)
  }

  const hasSubstitutes = (): boolean => (current().decoded?.substituted.size ?? 0) > 0

  /** Returns the route of a message that is executed, in a transaction whose other messages can have substitutes. */
  function builtRoute(route: Route<Context>): Route<Context> {
    const handle = (ctx: Context, message: Message): Message => {
      const recorded = result()
      // The writes of a failing message are dropped. So the fee shares of a failing transaction are paid later, at the
      // block's end at the latest.
      if (recorded.code === 0) payFeeShares(ctx)
      // The gas of substituted messages is unknown. Only the recording shows that the gas limit is exceeded.
      if (hasSubstitutes() && recorded.code === 11 && recorded.codespace === 'sdk') throw failure(recorded)
      return route.handle(ctx, message)
    }
    return { ...route, handle }
  }

  const substituteRoute: Route<Context> = {
    method: { input: SUBSTITUTE, output: SUBSTITUTE_RESPONSE } as unknown as Route<Context>['method'],
    handle(ctx) {
      if (result().code === 0) payFeeShares(ctx)
      substitute(ctx, current().decoded!.substituted.get(current().message)!)
      return create(SUBSTITUTE_RESPONSE)
    },
  }

  /** Collects the fee shares of Wasm contracts from the events of admission. They can be paid once the fee is paid. */
  function collectFeeShares(ctx: Context): void {
    const collector = address.format(ctx, auth.feeCollector.address)
    const movements = movementsOf(eventsOfAdmission(result()))
    current().pendingFeeShares.push(...movements.filter(({ from }) => from === collector))
  }

  function payFeeShares(ctx: Context): void {
    for (const movement of current().pendingFeeShares.splice(0)) applyMovement(ctx, movement)
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
      over: (base) => watchPrecompiles(base, current().exclusions),
      decode(facts, bytes) {
        const now = current()
        now.tx = now.txs.indexOf(bytes)
        now.message = -1
        now.exclusions.setTx(now.tx)
        now.decoded = undefined
        now.decoded = decodeRecorded(facts, identity, bytes, result())
        return now.decoded.tx
      },
      beforeAdmission(ctx) {
        if (!hasSubstitutes()) return
        // The signers of a refused substituted message are unknown, so the reason is taken from the recording.
        if (!wasAdmitted(result())) throw failure(result())
        collectFeeShares(ctx)
      },
      route(typeName, own) {
        current().message++
        if (typeName === SUBSTITUTE.typeName) return substituteRoute
        // Genesis transactions belong to no block.
        return own && (current().tx < 0 ? own : builtRoute(own))
      },
    },
  })

  return {
    app,
    setBlock(recordedBlock, txs, recorded, exclusions) {
      const position = { tx: -1, message: -1, decoded: undefined }
      block = { block: recordedBlock, txs, recorded, exclusions, ...position, pendingFeeShares: [] }
    },
  }
}
