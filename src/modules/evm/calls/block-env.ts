/** Block values that opcodes read (docs/modules/evm.md#block-values). */

import type { EvmBlockEnv } from '../../../evm/types.ts'
import { concat, encodeUint64, ZERO_ADDRESS } from '../../../primitives/bytes.ts'
import { keccak256 } from '../../../primitives/hash.ts'
import { NS_PER_SECOND } from '../../../primitives/time.ts'
import type { ReadContext } from '../../../sdk/context.ts'
import * as staking from '../../staking/keeper.ts'
import { baseFeeWei, coinbaseOverride, prevRandaoOverride } from '../development/settings.ts'
import type { BlockOverrides } from './call-args.ts'

interface RandomFacts {
  readonly timeNs: bigint
  readonly lastCommitHash: Uint8Array
}

const NO_LIMIT = (1n << 64n) - 1n

/** Returns the EVM address of the proposer's operator; zeros if the proposer is unknown. */
function coinbase(ctx: ReadContext, proposer: Uint8Array = ctx.block.proposer): Uint8Array {
  const operator = proposer.length === 20 ? staking.operatorOf(ctx, proposer) : undefined
  return operator?.length === 20 ? operator : ZERO_ADDRESS
}

/** Returns the gas limit of the block; without a limit the largest 64-bit number. */
function gasLimit(ctx: ReadContext): bigint {
  return ctx.block.gasLimit > 0n ? ctx.block.gasLimit : NO_LIMIT
}

/** Returns the PREVRANDAO that follows from a block. An engine of ABCI 2.0 names no hash of the last commit; the block's stands for it. */
export function prevRandaoOf({ timeNs, lastCommitHash }: RandomFacts, hash: Uint8Array): Uint8Array {
  return keccak256(concat(encodeUint64(timeNs), lastCommitHash.length > 0 ? lastCommitHash : hash))
}

/** Returns the block values of a context, with the overrides of a call. */
export function blockEnv(ctx: ReadContext, overrides?: BlockOverrides, proposer?: Uint8Array): EvmBlockEnv {
  const { height, timeNs, hash, evmChainId } = ctx.block
  return {
    number: overrides?.number ?? height,
    timestamp: overrides?.time ?? timeNs / NS_PER_SECOND,
    coinbase: overrides?.feeRecipient ?? (proposer ? undefined : coinbaseOverride(ctx)) ?? coinbase(ctx, proposer),
    gasLimit: overrides?.gasLimit ?? gasLimit(ctx),
    prevRandao: overrides?.prevRandao ?? prevRandaoOverride(ctx) ?? prevRandaoOf(ctx.block, hash),
    difficulty: 0n,
    baseFee: overrides?.baseFeeWei ?? baseFeeWei(ctx),
    blobBaseFee: overrides?.blobBaseFeeWei ?? 1n,
    chainId: evmChainId,
  }
}
