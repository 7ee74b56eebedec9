/** Blocks in the JSON of the engine's RPC: parts that recordings do not have. */
import { expect, test } from 'vitest'
import { headerOf, misbehaviourOf } from './block-of-json.ts'

const ADDRESS = 'AB'.repeat(20)

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

test('a header of another application version is named, whose hash this build does not compute', () => {
  const header = { chain_id: 'test-1', height: '7', time: '2024-01-01T00:00:00Z' }
  expect(headerOf({ ...header, version: { block: '11', app: '0' } }).height).toBe(7n)
  expect(() => headerOf({ ...header, version: { block: '11', app: '2' } })).toThrow(
    'header.version.app must be 0, the only application version that this build follows, and is 2',
  )
})
