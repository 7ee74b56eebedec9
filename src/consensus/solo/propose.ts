/** Proposing a block: header, block id and the commit that this process signs. Source: docs/cometbft.md#hashes. */
import { proposerOf, rotateProposers } from '../../app/proposers.ts'
import type { BlockHeader, Commit, CommitSignature, StoredBlock, Validator } from '../../app/records.ts'
import type { BlockInput, BlockOutput } from '../../app/types.ts'
import { EMPTY, equal, toKey } from '../../primitives/bytes.ts'
import { encodePrecommitSignBytes } from '../comet/encoding.ts'
import {
  blockIdOf,
  hashCommit,
  hashConsensusParams,
  hashData,
  hashValidators,
  NO_EVIDENCE_HASH,
} from '../comet/hashes.ts'
import type { Tip } from '../tip.ts'
import type { Signer } from '../validators.ts'

/** A proposed block, not yet executed. */
export interface Proposal {
  readonly header: BlockHeader
  readonly blockId: StoredBlock['blockId']
  readonly commit: Commit
  readonly input: BlockInput
}

/** Rounds to search for a proposer that signs. */
const MAX_ROUNDS = 100

/** Returns the first round whose proposer signs, or the first round if none does. */
function turnOf(
  validators: readonly Validator[],
  signers: readonly Signer[],
): { readonly proposer: Validator; readonly round: number } {
  let set = validators
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const proposer = proposerOf(set)
    if (signers.some(({ address }) => equal(address, proposer.address))) return { proposer, round }
    set = rotateProposers(set)
  }
  return { proposer: proposerOf(validators), round: 0 }
}

/** A block before it is signed. */
interface Draft extends Omit<Proposal, 'commit'> {
  readonly round: number
}

/** Builds the next block: header, block id, and input of the application. */
export function draft(tip: Tip, txs: readonly Uint8Array[], timeNs: bigint, signers: readonly Signer[]): Draft {
  const height = tip.height + 1n
  const { proposer, round } = turnOf(tip.validators, signers)
  const header: BlockHeader = {
    chainId: tip.chainId,
    height,
    timeNs,
    lastBlockId: tip.blockId,
    lastCommitHash: hashCommit(tip.commit),
    dataHash: hashData(txs),
    validatorsHash: hashValidators(tip.validators),
    nextValidatorsHash: hashValidators(tip.nextValidators),
    consensusHash: hashConsensusParams(tip),
    appHash: tip.appHash,
    lastResultsHash: tip.resultsHash,
    evidenceHash: NO_EVIDENCE_HASH,
    proposer: proposer.address,
  }
  const blockId = blockIdOf(header, txs, tip.commit)
  const signed = new Set(
    tip.commit?.signatures.flatMap(({ flag, validator }) => (flag === 2 ? [toKey(validator)] : [])),
  )
  return {
    header,
    blockId,
    round,
    input: {
      height,
      timeNs,
      proposer: proposer.address,
      hash: blockId.hash,
      lastCommitHash: header.lastCommitHash,
      header,
      txs,
      lastCommitVotes: tip.lastValidators.map(({ address, power }) => ({
        validator: address,
        power,
        signed: signed.has(toKey(address)),
      })),
      evidence: [],
    },
  }
}

/** The signed facts of a block. */
interface Signed {
  readonly header: BlockHeader
  readonly blockId: StoredBlock['blockId']
  readonly round: number
}

/** Returns the commit of a block by those of its validators that sign. */
export function commitOf(signed: Signed, validators: readonly Validator[], signers: readonly Signer[]): Commit {
  const { header, blockId, round } = signed
  const signatures = validators.map(({ address }) => signatureOf(address, signers, { ...header, blockId, round }))
  return { height: header.height, round, blockId, signatures }
}

/** Proposes the next block: header, block id, commit of the signers, and input of the application. */
export function propose(tip: Tip, txs: readonly Uint8Array[], timeNs: bigint, signers: readonly Signer[]): Proposal {
  const { header, blockId, round, input } = draft(tip, txs, timeNs, signers)
  return { header, blockId, commit: commitOf({ header, blockId, round }, tip.validators, signers), input }
}

/** Returns the precommit of one validator; absent if it does not sign. */
function signatureOf(
  validator: Uint8Array,
  signers: readonly Signer[],
  {
    chainId,
    height,
    timeNs,
    blockId,
    round,
  }: BlockHeader & { readonly blockId: StoredBlock['blockId']; readonly round: number },
): CommitSignature {
  const signer = signers.find(({ address }) => equal(address, validator))
  if (!signer) return { flag: 1, validator: EMPTY, timeNs: 0n, signature: EMPTY }
  const message = encodePrecommitSignBytes({ chainId, height, round, blockId, timeNs })
  return { flag: 2, validator, timeNs, signature: signer.sign(message) }
}

/** Returns the record of an executed block. */
export function storedBlock(proposal: Proposal, tip: Tip, output: BlockOutput, nextAppHash: Uint8Array): StoredBlock {
  return {
    header: proposal.header,
    hash: proposal.blockId.hash,
    blockId: proposal.blockId,
    txs: proposal.input.txs,
    results: output.results,
    lastCommit: tip.commit,
    commit: proposal.commit,
    blockEvents: output.blockEvents,
    evmTxs: output.evmTxs,
    evmGasUsed: output.evmGasUsed,
    baseFeeWei: output.baseFeeWei,
    gasLimit: output.gasLimit,
    coinbase: output.coinbase,
    ...(output.prevRandao && { prevRandao: output.prevRandao }),
    nextAppHash,
  }
}
