/** The state machine, assembled: pure functions of state, block and transactions. */
import type { Identity } from '../identity/types.ts'
import * as auth from '../modules/auth/keeper.ts'
import * as bank from '../modules/bank/keeper.ts'
import * as consensus from '../modules/consensus/keeper.ts'
import * as evm from '../modules/evm/keeper.ts'
import type { VersionMap } from '../modules/upgrade/keeper.ts'
import { EMPTY, fromKey, toKey } from '../primitives/bytes.ts'
import { ChainError, queryError } from '../primitives/errors.ts'
import type { Progress } from '../primitives/progress.ts'
import type { BlockInfo, Context, ReadContext } from '../sdk/context.ts'
import { createReadContext } from '../sdk/create-context.ts'
import type { Module } from '../sdk/module.ts'
import type { DecodedTx } from '../sdk/tx.ts'
import { createBranch } from '../store/branch.ts'
import type { Reader, Snapshot } from '../store/types.ts'
import { startBlock } from './block.ts'
import { check, placeOf } from './check.ts'
import { contracts } from './foreign/contracts.ts'
import { exportGenesis, initChain } from './genesis.ts'
import { createHostFailures } from './host-failures.ts'
import { contextOf } from './machine.ts'
import { modulesOf } from './modules.ts'
import { executePending } from './pending.ts'
import { createQueryTable } from './query.ts'
import type { Substitution } from './substitution.ts'
import { traceBlock } from './trace.ts'
import type { AdmissionSettings } from './transaction.ts'
import type {
  Application,
  BlockFacts,
  BlockInput,
  BlockOutcome,
  BlockStart,
  CheckResult,
  PastBlock,
  PendingOutcome,
} from './types.ts'
import { changingModules, createEras, type Era } from './upgrades/eras.ts'
import { haltBefore, type OpenBlockOptions, openBlock } from './upgrades/opening.ts'
import { misfits, preflight } from './upgrades/preflight.ts'
import { rehearse } from './upgrades/rehearse.ts'
import { upgrades as allUpgrades } from './upgrades/table.ts'
import type { Upgrade } from './upgrades/types.ts'
import { newestVersions } from './upgrades/versions.ts'
import type { BlockWatch } from './watch.ts'

export interface ApplicationOptions {
  readonly identity: Identity
  readonly chainId: string
  readonly evmChainId: bigint
  readonly settings: AdmissionSettings
  /** Present in replays of blocks that this build cannot execute as a whole. */
  readonly substitution?: Substitution | undefined
  /** Receives unexpected failures of admission, simulation and the handlers of upgrades, with the name of the upgrade; must not change state. */
  readonly onBug?: (error: unknown, upgrade?: string) => void
  /** Receives the lines that contracts print in blocks; must not change state. */
  readonly onPrint?: ((line: string) => void) | undefined
  /** Modules of every state of the chain; those of this build by default. */
  readonly modules?: readonly Module[]
  /** Upgrades, oldest first; those of this build by default. */
  readonly upgrades?: readonly Upgrade[]
  /** Heights at which a due plan is dropped instead of run. */
  readonly skipUpgrades?: readonly bigint[]
  /** Receives log lines about plans and steps of upgrades; must not change state. */
  readonly onUpgrade?: (line: string) => void
  /** Shows the steps of upgrades. */
  readonly progress?: Progress | undefined
  /** Consensus versions of a new chain, the newest by default; older ones let this build upgrade the chain. */
  readonly firstVersions?: VersionMap
}

/** Facts about a block that only its state contains. */
interface StateFacts {
  readonly era: Era
  readonly gasLimit: bigint
}

const MAX_CACHED_BLOCKS = 10_000

/** Header fields of a context. */
type HeaderFacts = Parameters<Application['readContext']>[1]

export function createApplication(options: ApplicationOptions): Application {
  const { identity, chainId, evmChainId, settings, onPrint, modules = modulesOf(identity) } = options
  const { upgrades = allUpgrades, skipUpgrades = [], onUpgrade = () => {} } = options
  const hostFailures = createHostFailures()
  const onBug = (error: unknown): void => options.onBug?.(error)
  const onUpgradeBug = (error: unknown, upgrade: string): void => {
    if (hostFailures.includes(error)) throw error
    options.onBug?.(error, upgrade)
  }
  const { substitution } = options
  const common = { identity, chainId, evmChainId, settings, onBug, onPrint, substitution }
  const eras = createEras(common, modules, upgrades)
  const begins = eras.at(options.firstVersions ?? newestVersions(modules, upgrades))
  const rules = { upgrades: new Map(upgrades.map((one) => [one.name, one])), skip: new Set(skipUpgrades) }
  const opening: OpenBlockOptions = { eras, rules, log: onUpgrade, onBug: onUpgradeBug, progress: options.progress }

  const foreign = identity.behaviours.foreignGenesis ? [contracts] : []
  const queries = createQueryTable(modules, changingModules(upgrades), foreign)

  /** Cached facts of blocks by hash and number of rollbacks. */
  const known = new Map<string, StateFacts>()

  function blockInfo(header: HeaderFacts): BlockInfo {
    const { height, timeNs, proposer, hash, lastCommitHash } = header
    return {
      height,
      timeNs,
      chainId,
      evmChainId,
      proposer,
      hash,
      lastCommitHash,
      votes: [],
      gasLimit: 0n,
    }
  }

  function readContext(state: Reader, header: HeaderFacts): ReadContext {
    const block = blockInfo(header)
    // A development chain can change the state after a block, which counts as a rollback.
    const { rollbacks = 0 } = state as Partial<Snapshot>
    const key = header.hash.length === 0 ? '' : `${toKey(header.hash)} ${rollbacks}`
    const found = known.get(key)
    const era = found?.era ?? eras.of(state)
    const ctx = createReadContext({ store: state, identity, app: era.machine.router.facts, block })
    block.gasLimit = found?.gasLimit ?? consensus.blockGasLimit(ctx)
    if (!found && key !== '') {
      if (known.size >= MAX_CACHED_BLOCKS) known.clear()
      known.set(key, { era, gasLimit: block.gasLimit })
    }
    return ctx
  }

  function branchOf(state: Reader, { machine }: Era, block: BlockInfo): Context {
    return contextOf(machine, createBranch(state), block)
  }

  function beginBlock(base: Reader, block: BlockFacts): BlockStart {
    const marked = hostFailures.mark(base)
    const opened = openBlock(opening, substitution?.over(marked) ?? marked, block)
    if (opened.halt) return opened
    const { era, stores } = opened
    const running = startBlock(era.machine, opened, block, era.decode)
    return stores ? { ...running, end: () => ({ ...running.end(), stores }) } : running
  }

  function executeBlock(base: Reader, block: BlockInput): BlockOutcome {
    const started = beginBlock(base, block)
    if (started.halt) return started
    for (const tx of block.txs) started.deliver(tx)
    return started.end()
  }

  function trace(ctx: ReadContext, input: PastBlock, watch: BlockWatch): void {
    const opened = openBlock(opening, ctx.store, input, true)
    if (opened.halt)
      throw queryError('failedPrecondition', `this build cannot execute the block again: ${opened.halt.line}`)
    traceBlock(opened.era.machine, opened, input, opened.era.decode, watch)
  }

  function pendingBlock(ctx: ReadContext, input: BlockInput, shouldStop: () => boolean): PendingOutcome {
    const opened = openBlock(opening, ctx.store, input, true)
    if (opened.halt) throw queryError('unavailable', `no block can follow: ${opened.halt.line}`)
    return executePending(opened.era.machine, opened, input, opened.era.decode, shouldStop)
  }

  /** State of the pool, and the era of the next block. */
  let pool: { readonly ctx: Context; readonly era: Era } | undefined

  /** Decodes a transaction for the next block; undefined for other bytes. */
  function decoded(bytes: Uint8Array): DecodedTx | undefined {
    if (!pool) throw new Error('call resetCheckState before a transaction is decoded')
    try {
      return pool.era.decode(bytes)
    } catch (error) {
      if (error instanceof ChainError) return undefined
      throw error
    }
  }

  return {
    queries,
    stores: begins.machine.modules.flatMap(({ stores }) => stores),
    initChain: (genesis, base, report) => initChain(begins.machine, genesis, base, report),
    executeBlock,
    beginBlock,
    haltBefore: (base, height) => haltBefore(opening, base, height),
    rehearse: (ctx, name) => rehearse(opening, queries, ctx, name),
    preflight: (state, height) => preflight(opening, modules, state, height),
    amend(base, header, amendments) {
      const ctx = branchOf(base, eras.of(base), blockInfo(header))
      ctx.block.gasLimit = consensus.blockGasLimit(ctx)
      for (const amendment of amendments) evm.amend(ctx, amendment)
      return { changes: ctx.branchStore.changes(), events: ctx.branchStore.events.splice(0) }
    },
    misfits: (state) => misfits(opening, modules, state),
    resetCheckState(base, tip) {
      const next = { ...tip, height: tip.height + 1n, proposer: EMPTY, hash: EMPTY, lastCommitHash: EMPTY }
      const era = eras.of(base)
      const ctx = branchOf(base, era, blockInfo(next))
      ctx.block.gasLimit = consensus.blockGasLimit(ctx)
      pool = { ctx, era }
    },
    check(bytes, mode, take): CheckResult {
      if (!pool) throw new Error('call resetCheckState before check')
      const { ctx, era } = pool
      return check(era.machine, ctx, () => era.decode(bytes), mode, take)
    },
    releaseChecked({ sender, nonce, others = [], payer, deducted }) {
      if (!pool || !deducted) return
      const { ctx } = pool
      for (const signer of [{ sender, nonce }, ...others]) {
        const account = auth.getAccount(ctx, fromKey(signer.sender))
        if (account && account.sequence > signer.nonce) auth.setAccount(ctx, { ...account, sequence: signer.nonce })
      }
      if (deducted.length > 0) bank.send(ctx, auth.feeCollector.address, fromKey(payer), deducted)
      ctx.branchStore.events.length = 0
    },
    isEthereumTx: (bytes) => decoded(bytes)?.isEvm ?? false,
    placeOf(bytes) {
      const tx = decoded(bytes)
      return tx && placeOf(pool!.ctx, tx)
    },
    simulate(ctx, bytes): CheckResult {
      const block: BlockInfo = { ...ctx.block, height: ctx.block.height + 1n }
      const era = eras.byFacts(ctx.app)
      return check(era.machine, branchOf(ctx.store, era, block), () => era.decode(bytes), 'simulate')
    },
    readContext,
    traceBlock: trace,
    pendingBlock,
    exportGenesis: (ctx, origin) => exportGenesis(eras.byFacts(ctx.app).machine, ctx, origin),
  }
}
