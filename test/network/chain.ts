/** The chain that the engines of a network agree on: its blocks, and the answers that every application must give. */

import { withUpdates } from '../../src/app/proposers.ts'
import type { BlockHeader, BlockId, Commit, Validator } from '../../src/app/records.ts'
import {
  blockIdOf,
  hashCommit,
  hashConsensusParams,
  hashData,
  hashValidators,
  NO_BLOCK_ID,
  NO_EVIDENCE_HASH,
  sortValidators,
} from '../../src/consensus/comet/hashes.ts'
import { merkleRoot } from '../../src/consensus/comet/merkle.ts'
import { EMPTY } from '../../src/primitives/bytes.ts'
import { sha256 } from '../../src/primitives/hash.ts'
import { CHAIN_ID } from '../simulation/genesis.ts'
import { MAX_BYTES, MAX_GAS } from './genesis.ts'

const NS_PER_SECOND = 1_000_000_000n
export const GENESIS_NS = 1_704_067_200n * NS_PER_SECOND

/** A block that was decided. */
export interface Block {
  readonly header: BlockHeader
  readonly id: BlockId
  readonly txs: readonly Uint8Array[]
  readonly round: number
  /** The validators of the block before, and whether they signed it. */
  readonly votes: readonly { readonly validator: Validator; readonly signed: boolean }[]
  /** A validator that has signed two blocks of an earlier height. */
  readonly guilty?: Guilt | undefined
}

interface Guilt {
  readonly validator: Validator
  readonly height: bigint
  readonly timeNs: bigint
  readonly totalPower: bigint
}

/** The answers of an application to a block, as far as all must answer the same. */
export interface Outcome {
  readonly appHash: Uint8Array
  /** Root of code, data and gas of each result. */
  readonly resultsHash: Uint8Array
  /** All answers as text: with events and the logs of failures, without the logs of successes, which version 1.0 alone has. */
  readonly text: string
  readonly updates: readonly Validator[]
  readonly codes: readonly number[]
}

/** The facts that the next block builds on. */
export interface Tip {
  readonly height: bigint
  readonly timeNs: bigint
  readonly id: BlockId
  readonly appHash: Uint8Array
  readonly resultsHash: Uint8Array
  readonly lastValidators: readonly Validator[]
  readonly validators: readonly Validator[]
  readonly nextValidators: readonly Validator[]
}

/** The choices that make a block of transactions. */
export interface Choices {
  readonly proposer: Validator
  readonly round: number
  readonly seconds: number
  readonly hasSigned: (index: number) => boolean
  /** The validator that has signed the last block twice. */
  readonly guilty?: Validator | undefined
}

export function tipAtGenesis(appHash: Uint8Array, validators: readonly Validator[]): Tip {
  const set = sortValidators(validators)
  return {
    height: 0n,
    timeNs: GENESIS_NS - NS_PER_SECOND,
    id: NO_BLOCK_ID,
    appHash,
    resultsHash: merkleRoot([]),
    lastValidators: [],
    validators: set,
    nextValidators: set,
  }
}

/** Makes the block after a tip. */
export function makeBlock(tip: Tip, txs: readonly Uint8Array[], choices: Choices): Block {
  const { proposer, round, seconds, hasSigned, guilty: validator } = choices
  const height = tip.height + 1n
  const votes = tip.lastValidators.map((validator, i) => ({ validator, signed: hasSigned(i) }))
  const commit: Commit = {
    height: tip.height,
    round: 0,
    blockId: tip.id,
    signatures: votes.map(({ validator: { address }, signed }) => ({
      flag: signed ? 2 : 1,
      validator: signed ? address : EMPTY,
      timeNs: signed ? tip.timeNs + 1n : 0n,
      signature: signed ? sha256(address) : EMPTY,
    })),
  }
  const header: BlockHeader = {
    chainId: CHAIN_ID,
    height,
    timeNs: tip.height === 0n ? GENESIS_NS : tip.timeNs + BigInt(seconds) * NS_PER_SECOND,
    lastBlockId: tip.id,
    lastCommitHash: hashCommit(tip.height === 0n ? undefined : commit),
    dataHash: hashData(txs),
    validatorsHash: hashValidators(tip.validators),
    nextValidatorsHash: hashValidators(tip.nextValidators),
    consensusHash: hashConsensusParams({ maxBytes: BigInt(MAX_BYTES), maxGas: MAX_GAS }),
    appHash: tip.appHash,
    lastResultsHash: tip.resultsHash,
    evidenceHash: validator ? sha256(validator.address) : NO_EVIDENCE_HASH,
    proposer: proposer.address,
  }
  const totalPower = tip.lastValidators.reduce((sum, { power }) => sum + power, 0n)
  const guilty = validator && { validator, height: tip.height, timeNs: tip.timeNs, totalPower }
  return { header, id: blockIdOf(header, txs, commit), txs, round, votes, guilty }
}

/** Returns the facts that the block after this one builds on. */
export function tipAfter(tip: Tip, { header, id }: Block, { appHash, resultsHash, updates }: Outcome): Tip {
  return {
    height: header.height,
    timeNs: header.timeNs,
    id,
    appHash,
    resultsHash,
    lastValidators: tip.validators,
    validators: tip.nextValidators,
    nextValidators: sortValidators(withUpdates(tip.nextValidators, updates)),
  }
}
