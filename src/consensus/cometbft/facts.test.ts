import { create } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { headerInit } from '../../app/header.ts'
import type { BlockHeader } from '../../app/records.ts'
import {
  MisbehaviorType,
  RequestBeginBlockSchema,
  RequestFinalizeBlockSchema,
} from '../../gen/tendermint/abci/types_pb.ts'
import { BlockIDFlag } from '../../gen/tendermint/types/validator_pb.ts'
import { toTimestamp } from '../../primitives/time.ts'
import { factsOfBegin, factsOfFinalize } from './facts.ts'

const bytes = (fill: number, length = 32): Uint8Array => new Uint8Array(length).fill(fill)

const header: BlockHeader = {
  chainId: 'almanac-localnet-1',
  height: 7n,
  timeNs: 1_704_067_200_000_000_007n,
  lastBlockId: { hash: bytes(1), partsTotal: 1, partsHash: bytes(2) },
  lastCommitHash: bytes(3),
  dataHash: bytes(4),
  validatorsHash: bytes(5),
  nextValidatorsHash: bytes(6),
  consensusHash: bytes(7),
  appHash: bytes(8),
  lastResultsHash: bytes(9),
  evidenceHash: bytes(10),
  proposer: bytes(11, 20),
}
const validator = { address: bytes(12, 20), power: 5n }
const absent = { address: bytes(13, 20), power: 1n }
const misbehavior = [
  { type: MisbehaviorType.DUPLICATE_VOTE, validator, height: 3n, time: toTimestamp(9n), totalVotingPower: 6n },
]

const begin = create(RequestBeginBlockSchema, {
  hash: bytes(14),
  header: headerInit(header),
  lastCommitInfo: { votes: [{ validator, signedLastBlock: true }, { validator: absent }] },
  byzantineValidators: misbehavior,
})
const finalize = create(RequestFinalizeBlockSchema, {
  hash: bytes(14),
  height: header.height,
  time: toTimestamp(header.timeNs),
  proposerAddress: header.proposer,
  decidedLastCommit: {
    votes: [
      { validator, blockIdFlag: BlockIDFlag.BLOCK_ID_FLAG_NIL },
      { validator: absent, blockIdFlag: BlockIDFlag.BLOCK_ID_FLAG_ABSENT },
    ],
  },
  misbehavior,
})

test('a block has the same facts under both versions, unless the state has whole headers', () => {
  expect(factsOfBegin(begin, false)).toEqual(factsOfFinalize(finalize))
  expect(factsOfBegin(begin, true)).toEqual({
    ...factsOfFinalize(finalize),
    lastCommitHash: header.lastCommitHash,
    header,
  })
})

test('votes say who has signed, for another block too, and evidence who has misbehaved', () => {
  const { lastCommitVotes, evidence } = factsOfFinalize(finalize)
  expect(lastCommitVotes).toEqual([
    { validator: validator.address, power: 5n, signed: true },
    { validator: absent.address, power: 1n, signed: false },
  ])
  const [found] = evidence
  expect(found).toEqual({
    ...{ kind: 'duplicateVote', validator: validator.address, height: 3n, timeNs: 9n, power: 5n, totalPower: 6n },
  })
})

test('a begin without a header is refused', () => {
  expect(() => factsOfBegin(create(RequestBeginBlockSchema, {}), false)).toThrow('BeginBlock has no header')
})
