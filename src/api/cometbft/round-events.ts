/** Events of the round in which the embedded engine decided a block, from its header and commit. */
import type { CommitSignature, StoredBlock, Validator } from '../../app/records.ts'
import { base64OrNull, blockIdJson, formatUpperHex } from '../../consensus/comet/block-json.ts'
import { sortValidators } from '../../consensus/comet/hashes.ts'
import { equal } from '../../primitives/bytes.ts'
import { formatRfc3339Nano } from '../../primitives/time.ts'
import type { Json } from './method.ts'

/** One event: the value of `tm.event`, the type of its data if that has another name, and the data. */
export interface RoundEvent {
  readonly kind: string
  readonly type?: string
  readonly value: Json
}

/** Type of a precommit, `SIGNED_MSG_TYPE_PRECOMMIT`. */
const PRECOMMIT = 2
/** Flag of a signature for the block. */
const COMMITTED = 2

function voteOf({ commit }: StoredBlock, { validator, timeNs, signature }: CommitSignature, index: number): Json {
  const vote = {
    type: PRECOMMIT,
    height: commit.height.toString(),
    round: commit.round,
    block_id: blockIdJson(commit.blockId),
    timestamp: formatRfc3339Nano(timeNs),
    validator_address: formatUpperHex(validator),
    validator_index: index,
    signature: base64OrNull(signature),
    extension: null,
    extension_signature: null,
  }
  return { Vote: vote }
}

/**
 * Returns the events in the order of CometBFT: the round with its proposer, the proposal, the precommits. The engine has no
 * prevotes. `validators` are those of the height, in any order.
 */
export function roundEvents(block: StoredBlock, validators: readonly Validator[]): readonly RoundEvent[] {
  const { header, commit, blockId } = block
  const place = { height: header.height.toString(), round: commit.round }
  const step = (name: string): RoundEvent => ({
    kind: 'NewRoundStep',
    type: 'RoundState',
    value: { ...place, step: `RoundStep${name}` },
  })
  const index = sortValidators(validators).findIndex(({ address }) => equal(address, header.proposer))
  const proposer = { address: formatUpperHex(header.proposer), index }
  const votes = commit.signatures.flatMap((signature, i): RoundEvent[] =>
    signature.flag === COMMITTED ? [{ kind: 'Vote', value: voteOf(block, signature, i) }] : [],
  )
  return [
    { kind: 'NewRound', value: { ...place, step: 'RoundStepNewRound', proposer } },
    step('Propose'),
    { kind: 'CompleteProposal', value: { ...place, step: 'RoundStepPropose', block_id: blockIdJson(blockId) } },
    step('Precommit'),
    ...votes,
    step('Commit'),
  ]
}
