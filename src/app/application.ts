/** The state machine, assembled: pure functions of state, block and transactions. */
import type { Identity } from '../identity/types.ts'
import * as consensus from '../modules/consensus/keeper.ts'
import { EMPTY, toKey } from '../primitives/bytes.ts'
import type { BlockInfo, Context, ReadContext } from '../sdk/context.ts'
import { createContext, createReadContext, createTransient } from '../sdk/create-context.ts'
import type { Module } from '../sdk/module.ts'
import { type DecodedTx, decodeTx } from '../sdk/tx.ts'
import { createBranch } from '../store/branch.ts'
import type { Reader } from '../store/types.ts'
import { executeBlock } from './block.ts'
import { check } from './check.ts'
import { createEvmTxPath } from './evm/path.ts'
import { exportGenesis, initChain } from './genesis.ts'
import type { Machine } from './machine.ts'
import { modules as allModules } from './modules.ts'
import { createQueryTable } from './query.ts'
import { createRouter } from './router.ts'
import { traceBlock } from './trace.ts'
import type { AdmissionSettings } from './transaction.ts'
import type { Application, CheckResult } from './types.ts'

export interface ApplicationOptions {
  readonly identity: Identity
  readonly chainId: string
  readonly evmChainId: bigint
  readonly settings: AdmissionSettings
  /** Told of an unexpected failure in a transaction, with its stack; must not change state. */
  readonly onBug?: (error: unknown) => void
  /** Told what contracts print in blocks; must not change state. */
  readonly onPrint?: ((line: string) => void) | undefined
  /** Those of this build by default. */
  readonly modules?: readonly Module[]
}

/** What a context needs of a header. */
const MOST_GAS_LIMITS = 10_000

type HeaderFacts = Parameters<Application['readContext']>[1]

export function createApplication(options: ApplicationOptions): Application {
  const { identity, chainId, evmChainId, settings, onBug = () => {}, onPrint, modules = allModules } = options
  const router = createRouter(modules)
  const machine: Machine = {
    identity,
    chainId,
    evmChainId,
    modules,
    router,
    evm: createEvmTxPath(onPrint),
    settings,
    onBug,
  }
  // Bytes that were checked are not decoded again to be delivered. What it holds follows from the bytes alone.
  const decoded = new WeakMap<Uint8Array, DecodedTx>()
  const decode = (bytes: Uint8Array): DecodedTx => {
    const known = decoded.get(bytes)
    if (known) return known
    const tx = decodeTx(router.facts, identity, bytes)
    decoded.set(bytes, tx)
    return tx
  }

  /** Gas limits of blocks that were read, by hash: a getter in its place would give each object a hidden class of its own. */
  const gasLimits = new Map<string, bigint>()
  function gasLimitAt(ctx: ReadContext): bigint {
    const key = toKey(ctx.block.hash)
    const known = key === '' ? undefined : gasLimits.get(key)
    if (known !== undefined) return known
    const limit = consensus.blockGasLimit(ctx)
    if (gasLimits.size >= MOST_GAS_LIMITS) gasLimits.clear()
    if (key !== '') gasLimits.set(key, limit)
    return limit
  }

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
    const ctx = createReadContext({ store: state, identity, app: router.facts, block })
    block.gasLimit = gasLimitAt(ctx)
    return ctx
  }

  function branchOf(state: Reader, block: BlockInfo): Context {
    return createContext({
      branch: createBranch(state),
      transient: createTransient(),
      identity,
      app: router.facts,
      block,
    })
  }

  let pool: Context | undefined

  return {
    queries: createQueryTable(modules),
    stores: modules.flatMap(({ stores }) => stores),
    initChain: (genesis, base) => initChain(machine, genesis, base),
    executeBlock: (base, block) => executeBlock(machine, base, block, decode),
    resetCheckState(base, tip) {
      const next = { ...tip, height: tip.height + 1n, proposer: EMPTY, hash: EMPTY, lastCommitHash: EMPTY }
      pool = branchOf(base, blockInfo(next))
      pool.block.gasLimit = gasLimitAt(pool)
    },
    check(bytes, mode): CheckResult {
      if (!pool) throw new Error('resetCheckState must come before check')
      return check(machine, pool, () => decode(bytes), mode)
    },
    simulate(ctx, bytes): CheckResult {
      const block: BlockInfo = { ...ctx.block, height: ctx.block.height + 1n }
      return check(machine, branchOf(ctx.store, block), () => decode(bytes), 'simulate')
    },
    readContext,
    traceBlock: (ctx, input, watch) => traceBlock(machine, ctx.store, input, decode, watch),
    exportGenesis: (ctx, origin) => exportGenesis(machine, ctx, origin),
  }
}
