/** Evidence of misbehaviour: its hash, and its JSON in the CometBFT RPC (docs/cometbft.md#hashes). Pieces are encoded `Evidence`. */
import { fromBinary, toBinary } from '@bufbuild/protobuf'
import { blockIdOf, commitOf, headerOf } from '../../app/header.ts'
import type { Validator } from '../../app/records.ts'
import {
  type DuplicateVoteEvidence,
  DuplicateVoteEvidenceSchema,
  EvidenceSchema,
  type LightClientAttackEvidence,
  LightClientAttackEvidenceSchema,
} from '../../gen/tendermint/types/evidence_pb.ts'
import type { Vote } from '../../gen/tendermint/types/types_pb.ts'
import type { Validator as ValidatorMessage } from '../../gen/tendermint/types/validator_pb.ts'
import { EMPTY, formatBase64 } from '../../primitives/bytes.ts'
import { formatRfc3339 } from '../../primitives/time.ts'
import { base64OrNull, blockIdJson, commitJson, formatUpperHex, headerJson, validatorJson } from './block-json.ts'
import { NO_EVIDENCE_HASH } from './hashes.ts'
import { merkleRoot } from './merkle.ts'

type Json = Record<string, unknown>

/** Returns `evidence_hash`, whose leaves are the pieces without the field that says their kind. */
export const hashEvidence = (pieces: readonly Uint8Array[]): Uint8Array =>
  pieces.length === 0 ? NO_EVIDENCE_HASH : merkleRoot(pieces.map(leafOf))

function leafOf(piece: Uint8Array): Uint8Array {
  const { sum } = fromBinary(EvidenceSchema, piece)
  if (sum.case === 'duplicateVoteEvidence') return toBinary(DuplicateVoteEvidenceSchema, sum.value)
  return sum.case === undefined ? EMPTY : toBinary(LightClientAttackEvidenceSchema, sum.value)
}

/** Returns a piece of evidence in the JSON of the RPC. */
export function evidenceJson(piece: Uint8Array): Json {
  const { sum } = fromBinary(EvidenceSchema, piece)
  if (sum.case === 'duplicateVoteEvidence')
    return { type: 'tendermint/DuplicateVoteEvidence', value: duplicateVoteJson(sum.value) }
  if (sum.case === 'lightClientAttackEvidence')
    return { type: 'tendermint/LightClientAttackEvidence', value: lightClientAttackJson(sum.value) }
  throw new Error('a piece of evidence has no kind')
}

const duplicateVoteJson = (evidence: DuplicateVoteEvidence): Json => ({
  vote_a: voteJson(evidence.voteA!),
  vote_b: voteJson(evidence.voteB!),
  TotalVotingPower: evidence.totalVotingPower.toString(),
  ValidatorPower: evidence.validatorPower.toString(),
  Timestamp: formatRfc3339(evidence.timestamp!),
})

const voteJson = (vote: Vote): Json => ({
  type: vote.type,
  height: vote.height.toString(),
  round: vote.round,
  block_id: blockIdJson(blockIdOf(vote.blockId)),
  timestamp: formatRfc3339(vote.timestamp!),
  validator_address: formatUpperHex(vote.validatorAddress),
  validator_index: vote.validatorIndex,
  signature: base64OrNull(vote.signature),
  // Engines from 0.38 on have them.
  ...(vote.extension.length > 0 && { extension: formatBase64(vote.extension) }),
  ...(vote.extensionSignature.length > 0 && { extension_signature: formatBase64(vote.extensionSignature) }),
})

function lightClientAttackJson(evidence: LightClientAttackEvidence): Json {
  const { signedHeader, validatorSet } = evidence.conflictingBlock!
  return {
    ConflictingBlock: {
      signed_header: {
        header: headerJson(headerOf(signedHeader!.header!)),
        commit: commitJson(commitOf(signedHeader!.commit!)),
      },
      validator_set: {
        validators: validatorSet!.validators.map((one) => validatorJson(validatorOf(one))),
        proposer: validatorSet!.proposer ? validatorJson(validatorOf(validatorSet!.proposer)) : null,
      },
    },
    CommonHeight: evidence.commonHeight.toString(),
    ByzantineValidators: evidence.byzantineValidators.map((one) => validatorJson(validatorOf(one))),
    TotalVotingPower: evidence.totalVotingPower.toString(),
    Timestamp: formatRfc3339(evidence.timestamp!),
  }
}

const validatorOf = ({ address, pubKey, votingPower, proposerPriority }: ValidatorMessage): Validator => ({
  address,
  publicKey: pubKey?.sum.case === 'ed25519' ? pubKey.sum.value : EMPTY,
  power: votingPower,
  priority: proposerPriority,
})
