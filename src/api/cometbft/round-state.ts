/**
 * The state of the next round on a node that decides its blocks itself: the set that votes, its proposer, and the commit of the
 * latest block. Between two blocks nothing is proposed and no vote is cast, and no peer exists (docs/cometbft.md#rpc).
 */
import { proposerOf } from '../../app/proposers.ts'
import type { Commit, StoredBlock, Validator } from '../../app/records.ts'
import { formatUpperHex, validatorJson } from '../../consensus/comet/block-json.ts'
import { sortValidators } from '../../consensus/comet/hashes.ts'
import { equal } from '../../primitives/bytes.ts'
import { formatRfc3339Nano } from '../../primitives/time.ts'
import type { GatewayNode } from '../gateway.ts'
import { requireBlock } from './blocks.ts'
import type { Json } from './method.ts'

/** Step of a round that waits for its time, `NewHeight`. */
const NEW_HEIGHT = 1
/** Bytes of a hash, an address or a signature in the text of a vote. */
const SHORT_BYTES = 6
const COMMITTED = 2
const NO_VOTE = 'nil-Vote'

const short = (bytes: Uint8Array): string => formatUpperHex(bytes.subarray(0, SHORT_BYTES))

/** Returns the text of a set of voters: a mark for each, the power that has voted, and its share. */
function bitArray(voters: readonly Validator[], hasVoted: (index: number) => boolean): string {
  const marks = voters.map((_, i) => (hasVoted(i) ? 'x' : '_')).join('')
  const total = voters.reduce((sum, { power }) => sum + power, 0n)
  const voted = voters.reduce((sum, { power }, i) => (hasVoted(i) ? sum + power : sum), 0n)
  const share = total === 0n ? 0 : Number((voted * 10_000n) / total) / 10_000
  return `BA{${voters.length}:${marks}} ${voted}/${total} = ${share.toFixed(2)}`
}

/** Returns the texts of the votes of a commit, in the order of its set. */
function votesOf({ height, round, blockId, signatures }: Commit): string[] {
  const place = `${height}/${round.toString().padStart(2, '0')}`
  return signatures.map(({ flag, validator, signature, timeNs }, i) =>
    flag === COMMITTED
      ? `Vote{${i}:${short(validator)} ${place}/SIGNED_MSG_TYPE_PRECOMMIT(Precommit) ${short(blockId.hash)} ${short(signature)} ${'0'.repeat(2 * SHORT_BYTES)} @ ${formatRfc3339Nano(timeNs)}}`
      : NO_VOTE,
  )
}

/** Votes of a round in which nothing happened yet. */
function noVotes(voters: readonly Validator[]): Json {
  const votes = voters.map(() => NO_VOTE)
  const bits = bitArray(voters, () => false)
  return { round: 0, prevotes: votes, prevotes_bit_array: bits, precommits: votes, precommits_bit_array: bits }
}

interface Round {
  readonly block: StoredBlock
  readonly voters: readonly Validator[]
  readonly proposer: Validator
}

function nextRound(node: GatewayNode): Round {
  const block = requireBlock(node, undefined)
  const voters = sortValidators(node.blocks.validators(block.header.height + 1n) ?? [])
  return { block, voters, proposer: proposerOf(voters) }
}

const setJson = (voters: readonly Validator[]): Json => ({
  validators: voters.map(validatorJson),
  proposer: validatorJson(proposerOf(voters)),
})

/** Returns the answer of `consensus_state`. Throws `outOfRange` before the first block. */
export function roundState(node: GatewayNode): Json {
  const { block, voters, proposer } = nextRound(node)
  return {
    round_state: {
      'height/round/step': `${block.header.height + 1n}/0/${NEW_HEIGHT}`,
      start_time: formatRfc3339Nano(block.header.timeNs),
      proposal_block_hash: '',
      locked_block_hash: '',
      valid_block_hash: '',
      height_vote_set: [noVotes(voters)],
      proposer: {
        address: formatUpperHex(proposer.address),
        index: voters.findIndex(({ address }) => equal(address, proposer.address)),
      },
    },
  }
}

/** Returns the answer of `dump_consensus_state`. Throws `outOfRange` before the first block. */
export function wholeRoundState(node: GatewayNode): Json {
  const { block, voters } = nextRound(node)
  const { height, timeNs } = block.header
  const last = sortValidators(node.blocks.validators(height) ?? [])
  const time = formatRfc3339Nano(timeNs)
  return {
    round_state: {
      height: (height + 1n).toString(),
      round: 0,
      step: NEW_HEIGHT,
      start_time: time,
      commit_time: time,
      validators: setJson(voters),
      proposal: null,
      proposal_block: null,
      proposal_block_parts: null,
      locked_round: -1,
      locked_block: null,
      locked_block_parts: null,
      valid_round: -1,
      valid_block: null,
      valid_block_parts: null,
      votes: [noVotes(voters)],
      commit_round: -1,
      last_commit: {
        votes: votesOf(block.commit),
        votes_bit_array: bitArray(last, (i) => block.commit.signatures[i]?.flag === COMMITTED),
        peer_maj_23s: {},
      },
      last_validators: setJson(last),
      triggered_timeout_precommit: false,
    },
    peers: [],
  }
}
