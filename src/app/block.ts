/** One block: begin hooks, transactions, end hooks, validator updates. */
import { create } from '@bufbuild/protobuf'
import { HeaderSchema } from '../gen/tendermint/types/types_pb.ts'
import * as consensus from '../modules/consensus/keeper.ts'
import * as evm from '../modules/evm/keeper.ts'
import * as staking from '../modules/staking/keeper.ts'
import type { PlanFacts } from '../modules/upgrade/keeper.ts'
import * as upgrade from '../modules/upgrade/keeper.ts'
import type { BlockInfo, Context } from '../sdk/context.ts'
import type { DecodedTx } from '../sdk/tx.ts'
import type { Branch, ChainEvent } from '../store/types.ts'
import { type BlockGas, deliver } from './deliver.ts'
import { updateLocalhostClient } from './foreign/localhost.ts'
import { headerInit } from './header.ts'
import { inTransaction } from './host-failures.ts'
import { contextOf, type Machine } from './machine.ts'
import type { EvmTx, TxResult } from './records.ts'
import type { BlockFacts, RunningBlock } from './types.ts'

/** Returns the block facts that are known before execution. The gas limit is in the state, and set later. */
export function blockInfoOf({ chainId, evmChainId, identity }: Machine, input: BlockFacts): BlockInfo {
  const { header } = input
  return {
    height: input.height,
    timeNs: input.timeNs,
    chainId,
    evmChainId,
    proposer: input.proposer,
    hash: input.hash,
    lastCommitHash: input.lastCommitHash,
    header: header && identity.behaviours.wholeHeadersInStaking ? create(HeaderSchema, headerInit(header)) : undefined,
    gasLimit: 0n,
    votes: input.lastCommitVotes,
    misbehaviour: input.evidence,
  }
}

/** A block before its begin hooks. */
export interface Opening {
  readonly branch: Branch
  /** The upgrade plan that ran in this block; marked as done at its end. */
  readonly applied?: PlanFacts | undefined
}

function blockContext(machine: Machine, { branch }: Opening, input: BlockFacts): Context {
  const ctx = contextOf(machine, branch, blockInfoOf(machine, input))
  ctx.block.gasLimit = consensus.blockGasLimit(ctx)
  return ctx
}

interface BegunBlock {
  readonly ctx: Context
  readonly events: readonly ChainEvent[]
  readonly gas: BlockGas
}

/** Runs the begin hooks. The gas is shared by the block's transactions. */
export function beginBlock(machine: Machine, opening: Opening, input: BlockFacts): BegunBlock {
  const ctx = blockContext(machine, opening, input)
  for (const module of machine.modules) module.beginBlock?.(ctx)
  if (machine.identity.behaviours.localhostClient) updateLocalhostClient(ctx)
  return { ctx, events: ctx.branchStore.events.splice(0), gas: { limit: ctx.block.gasLimit, used: 0n } }
}

/**
 * Begins an opened block, whose transactions follow one at a time. All steps throw for a bug of a hook and for a failure of the
 * host: the node then stops before it commits (ADR 0021).
 */
export function startBlock(
  machine: Machine,
  opening: Opening,
  input: BlockFacts,
  decode: (bytes: Uint8Array) => DecodedTx,
): RunningBlock {
  const { ctx, events: beginEvents, gas } = beginBlock(machine, opening, input)
  const env = evm.blockEnv(ctx)
  const prevRandao = evm.prevRandaoOverride(ctx)
  const results: TxResult[] = []
  const evmTxs: EvmTx[] = []
  let evmGasUsed = 0n
  return {
    beginEvents,
    deliver(bytes) {
      const { result, evmTx } = inTransaction(input.height, bytes, () =>
        deliver(machine, ctx, gas, () => decode(bytes), results.length),
      )
      results.push(result)
      if (evmTx) {
        evmTxs.push(evmTx)
        evmGasUsed += evmTx.gasUsed
      }
      return result
    },
    end() {
      if (opening.applied) upgrade.markApplied(ctx, opening.applied)
      for (const { endBlock } of machine.modules) endBlock?.(ctx)
      evm.endOfBlock(ctx)
      return {
        branch: ctx.branchStore,
        results,
        blockEvents: [...beginEvents, ...ctx.branchStore.events.splice(0)],
        evmTxs,
        evmGasUsed,
        validatorUpdates: staking.updatesOfBlock(ctx),
        gasLimit: ctx.block.gasLimit,
        baseFeeWei: env.baseFee,
        coinbase: env.coinbase,
        ...(prevRandao && { prevRandao }),
        nextLimits: consensus.blockLimits(ctx),
        consensusParams: consensus.params(ctx),
      }
    },
  }
}
