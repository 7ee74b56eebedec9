import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { EvidenceListSchema, EvidenceSchema } from '../../../gen/tendermint/types/evidence_pb.ts'
import { formatHex } from '../../../primitives/bytes.ts'
import { sha256 } from '../../../primitives/hash.ts'
import { evidenceJson, hashEvidence } from '../../comet/evidence.ts'
import { recordedEvidence } from '../testing/evidence.ts'
import { evidenceOf, misbehaviourOf } from './evidence-of-json.ts'

const ADDRESS = 'AB'.repeat(20)

test.each(recordedEvidence)(
  'evidence of %s has the hash, the encoding and the JSON of the engine',
  (_, { hash, listHash, evidence }) => {
    const pieces = evidence.map(evidenceOf)
    expect(formatHex(hashEvidence(pieces))).toBe(hash)
    const list = create(EvidenceListSchema, { evidence: pieces.map((piece) => fromBinary(EvidenceSchema, piece)) })
    expect(formatHex(sha256(toBinary(EvidenceListSchema, list)))).toBe(listHash)
    expect(JSON.stringify(pieces.map(evidenceJson))).toBe(JSON.stringify(evidence))
  },
)

test('no evidence has the hash of no bytes', () => {
  expect(formatHex(hashEvidence([]))).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
})

test('a field that is wrong is named', () => {
  expect(() => evidenceOf({ value: { vote_a: { type: 2, height: 'x' } } })).toThrow('vote_a.height must be an integer')
})

test('evidence of both kinds is what the engine tells the application', () => {
  const timeNs = 1_704_067_200_000_000_000n
  const common = { TotalVotingPower: '30', Timestamp: '2024-01-01T00:00:00Z' }
  const vote = { validator_address: ADDRESS, height: '7' }
  expect(
    misbehaviourOf({
      type: 'tendermint/DuplicateVoteEvidence',
      value: { ...common, vote_a: vote, vote_b: vote, ValidatorPower: '10' },
    }),
  ).toMatchObject([{ kind: 'duplicateVote', height: 7n, timeNs, power: 10n, totalPower: 30n }])
  const validator = { address: ADDRESS, pub_key: { type: 'tendermint/PubKeyEd25519', value: '' }, voting_power: '10' }
  const attack = { ...common, ConflictingBlock: {}, CommonHeight: '5', ByzantineValidators: [validator, validator] }
  expect(misbehaviourOf({ type: 'tendermint/LightClientAttackEvidence', value: attack })).toEqual(
    [1, 2].map(() => ({
      ...{ kind: 'lightClientAttack', validator: new Uint8Array(20).fill(0xab), height: 5n },
      ...{ timeNs, power: 10n, totalPower: 30n },
    })),
  )
  // One whose validators are not known, as in amnesia.
  expect(misbehaviourOf({ value: { ...attack, ByzantineValidators: null } })).toEqual([])
})
