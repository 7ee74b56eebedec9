/** Evidence of misbehaviour in the JSON of the CometBFT RPC (docs/cometbft.md#hashes). */
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { blockIdInit, commitInit, headerInit } from '../../../app/header.ts'
import type { Validator } from '../../../app/records.ts'
import type { BlockInput } from '../../../app/types.ts'
import {
  type DuplicateVoteEvidenceSchema,
  EvidenceSchema,
  type LightClientAttackEvidenceSchema,
} from '../../../gen/tendermint/types/evidence_pb.ts'
import type { SignedMsgType, VoteSchema } from '../../../gen/tendermint/types/types_pb.ts'
import type { ValidatorSchema } from '../../../gen/tendermint/types/validator_pb.ts'
import { toTimestamp } from '../../../primitives/time.ts'
import { blockIdOf, commitOf, headerOf, validatorOf } from './header-of-json.ts'
import { bytesOfBase64, bytesOfHex, integerOf, type Json, listOf, objectOf, timeOf, wrong } from './json-fields.ts'

/** Returns the fields of a piece of evidence. */
function fieldsOf(line: unknown): Json {
  const evidence = objectOf(line, 'evidence')
  return objectOf(evidence['value'] ?? evidence, 'evidence.value')
}

const timeIn = (value: Json): bigint => timeOf(value['Timestamp'] ?? value['timestamp'], 'evidence.Timestamp')
const totalIn = (value: Json): bigint =>
  integerOf(value['TotalVotingPower'] ?? value['total_voting_power'] ?? 0, 'evidence.TotalVotingPower')
const powerIn = (value: Json): bigint =>
  integerOf(value['ValidatorPower'] ?? value['validator_power'] ?? 0, 'evidence.ValidatorPower')
const commonHeightIn = (value: Json): bigint =>
  integerOf(value['CommonHeight'] ?? value['common_height'] ?? 0, 'evidence.CommonHeight')
const byzantineIn = (value: Json): Validator[] =>
  listOf(value['ByzantineValidators'] ?? value['byzantine_validators'], 'evidence.ByzantineValidators').map(validatorOf)

/** Returns the misbehaviour in a piece of evidence, as the engine tells the application: of each validator that took part. */
export function misbehaviourOf(line: unknown): BlockInput['evidence'] {
  const value = fieldsOf(line)
  const vote = value['vote_a'] as Json | undefined
  if (vote?.['validator_address'])
    return [
      {
        kind: 'duplicateVote',
        validator: bytesOfHex(vote['validator_address'], 'vote_a.validator_address'),
        height: integerOf(vote['height'] ?? 0, 'vote_a.height'),
        timeNs: timeIn(value),
        power: powerIn(value),
        totalPower: totalIn(value),
      },
    ]
  return byzantineIn(value).map(({ address, power }) => ({
    kind: 'lightClientAttack',
    validator: address,
    height: commonHeightIn(value),
    timeNs: timeIn(value),
    power,
    totalPower: totalIn(value),
  }))
}

/** Returns a piece of evidence as an encoded `tendermint.types.Evidence`. Throws `dataLoss` for one of another kind. */
export function evidenceOf(line: unknown): Uint8Array {
  const value = fieldsOf(line)
  const sum = value['vote_a']
    ? ({ case: 'duplicateVoteEvidence', value: duplicateVoteOf(value) } as const)
    : ({ case: 'lightClientAttackEvidence', value: lightClientAttackOf(value) } as const)
  return toBinary(EvidenceSchema, create(EvidenceSchema, { sum }))
}

function duplicateVoteOf(value: Json): MessageInitShape<typeof DuplicateVoteEvidenceSchema> {
  return {
    voteA: voteOf(value['vote_a'], 'vote_a'),
    voteB: voteOf(value['vote_b'], 'vote_b'),
    totalVotingPower: totalIn(value),
    validatorPower: powerIn(value),
    timestamp: toTimestamp(timeIn(value)),
  }
}

function voteOf(json: unknown, field: string): MessageInitShape<typeof VoteSchema> {
  const vote = objectOf(json, field)
  return {
    type: Number(integerOf(vote['type'], `${field}.type`)) as SignedMsgType,
    height: integerOf(vote['height'], `${field}.height`),
    round: Number(integerOf(vote['round'] ?? 0, `${field}.round`)),
    blockId: blockIdInit(blockIdOf(vote['block_id'])),
    timestamp: toTimestamp(timeOf(vote['timestamp'], `${field}.timestamp`)),
    validatorAddress: bytesOfHex(vote['validator_address'], `${field}.validator_address`),
    validatorIndex: Number(integerOf(vote['validator_index'] ?? 0, `${field}.validator_index`)),
    signature: bytesOfBase64(vote['signature'], `${field}.signature`),
    extension: bytesOfBase64(vote['extension'], `${field}.extension`),
    extensionSignature: bytesOfBase64(vote['extension_signature'], `${field}.extension_signature`),
  }
}

function lightClientAttackOf(value: Json): MessageInitShape<typeof LightClientAttackEvidenceSchema> {
  const block = objectOf(value['ConflictingBlock'] ?? value['conflicting_block'], 'evidence.ConflictingBlock')
  const signed = objectOf(block['signed_header'], 'evidence.ConflictingBlock.signed_header')
  const set = objectOf(block['validator_set'], 'evidence.ConflictingBlock.validator_set')
  const commit = commitOf(signed['commit'])
  if (!commit) throw wrong('evidence.ConflictingBlock.signed_header.commit', 'a commit')
  return {
    conflictingBlock: {
      signedHeader: { header: headerInit(headerOf(signed['header'])), commit: commitInit(commit) },
      validatorSet: {
        validators: listOf(set['validators'], 'validator_set.validators').map((one) => validatorInit(validatorOf(one))),
        ...(set['proposer'] ? { proposer: validatorInit(validatorOf(set['proposer'])) } : {}),
      },
    },
    commonHeight: commonHeightIn(value),
    byzantineValidators: byzantineIn(value).map(validatorInit),
    totalVotingPower: totalIn(value),
    timestamp: toTimestamp(timeIn(value)),
  }
}

const validatorInit = ({
  address,
  publicKey,
  power,
  priority = 0n,
}: Validator): MessageInitShape<typeof ValidatorSchema> => ({
  address,
  pubKey: { sum: { case: 'ed25519', value: publicKey } },
  votingPower: power,
  proposerPriority: priority,
})
