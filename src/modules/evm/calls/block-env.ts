/** The block as opcodes see it (evm.md §3.2). */
import type { EvmBlockEnv } from '../../../evm/types.ts'
import { concat, encodeUint64 } from '../../../primitives/bytes.ts'
import { keccak256 } from '../../../primitives/hash.ts'
import type { ReadContext } from '../../../sdk/context.ts'
import * as staking from '../../staking/keeper.ts'
import { baseFeeWei, setCoinbase, setPrevRandao } from '../development/development.ts'
import type { BlockOverrides } from './call-args.ts'

const NANOS = 1_000_000_000n
const NO_LIMIT = (1n << 64n) - 1n
const ZERO_ADDRESS = new Uint8Array(20)

/** EVM address of the proposer's operator; zero if the proposer is unknown. */
function coinbase(ctx: ReadContext, proposer: Uint8Array = ctx.block.proposer): Uint8Array {
  const operator = proposer.length === 20 ? staking.operatorOf(ctx, proposer) : undefined
  return operator?.length === 20 ? operator : ZERO_ADDRESS
}

/** Gas limit of the block; without one the largest number of 64 bits. */
function gasLimit(ctx: ReadContext): bigint {
  return ctx.block.gasLimit > 0n ? ctx.block.gasLimit : NO_LIMIT
}

/** PREVRANDAO of a block, where nobody set another. */
export function prevRandaoOf(timeNs: bigint, lastCommitHash: Uint8Array): Uint8Array {
  return keccak256(concat(encodeUint64(timeNs), lastCommitHash))
}

/** The block of a context, with what a call pretends of it. */
export function blockEnv(ctx: ReadContext, overrides?: BlockOverrides, proposer?: Uint8Array): EvmBlockEnv {
  const { height, timeNs, lastCommitHash, evmChainId } = ctx.block
  return {
    number: overrides?.number ?? height,
    timestamp: overrides?.time ?? timeNs / NANOS,
    coinbase: overrides?.feeRecipient ?? (proposer ? undefined : setCoinbase(ctx)) ?? coinbase(ctx, proposer),
    gasLimit: overrides?.gasLimit ?? gasLimit(ctx),
    prevRandao: overrides?.prevRandao ?? setPrevRandao(ctx) ?? prevRandaoOf(timeNs, lastCommitHash),
    difficulty: 0n,
    baseFee: overrides?.baseFeeWei ?? baseFeeWei(ctx),
    blobBaseFee: overrides?.blobBaseFeeWei ?? 1n,
    chainId: evmChainId,
  }
}
