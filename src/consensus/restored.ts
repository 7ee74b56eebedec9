/**
 * The last block of a chain that was restored from a snapshot, as far as the state records it: headers and validators of recent
 * heights, which the app hash covers.
 */

import { headerOf } from '../app/header.ts'
import { rotateProposers, withUpdates } from '../app/proposers.ts'
import type { BlockHeader, Validator } from '../app/records.ts'
import type { Application } from '../app/types.ts'
import { restoredBlockRow, validatorRow } from '../indexer/writer.ts'
import * as evm from '../modules/evm/keeper.ts'
import * as staking from '../modules/staking/keeper.ts'
import { EMPTY, equal } from '../primitives/bytes.ts'
import { queryError } from '../primitives/errors.ts'
import type { ReadContext } from '../sdk/context.ts'
import type { TableWrite } from '../store/types.ts'
import type { VersionedStore } from '../store/versioned.ts'
import { hashHeader, NO_BLOCK_ID, sortValidators } from './comet/hashes.ts'

/**
 * Returns the rows of the restored height: its header, and the validators of it and the next two heights. Throws `dataLoss` for
 * the state of another chain, `failedPrecondition` if the state records no headers.
 */
export function restoredRows(
  app: Pick<Application, 'readContext'>,
  store: Pick<VersionedStore, 'at' | 'appHash'>,
  chainId: string,
): TableWrite[] {
  const state = store.at()
  try {
    const { height } = state
    const facts = { timeNs: 0n, hash: EMPTY, proposer: EMPTY, lastCommitHash: EMPTY }
    const ctx = app.readContext(state, { ...facts, height })
    const found = staking.recordedHeight(ctx, height)
    if (!found) {
      const remedy =
        'a snapshot can only be restored from a chain whose staking parameter historical_entries is positive'
      throw queryError('failedPrecondition', `the state of height ${height} records no header of its block: ${remedy}`)
    }
    const header = headerOf(found.header)
    if (header.chainId !== chainId)
      throw queryError('dataLoss', `the snapshot is of chain ${header.chainId}, and this node's is ${chainId}`)
    const before = staking.recordedHeight(ctx, height - 1n) ?? found
    const sets = setsOf([before.validators, found.validators, staking.validatorSet(ctx)])
    const hash = hashOf(ctx, header, app.readContext(state, { ...facts, height: height + 1n }))
    return [
      restoredBlockRow({
        header,
        hash,
        blockId: { ...NO_BLOCK_ID, hash },
        txs: [],
        lastCommit: undefined,
        commit: { height, round: 0, blockId: NO_BLOCK_ID, signatures: [] },
        evmGasUsed: 0n,
        baseFeeWei: 0n,
        gasLimit: 0n,
        coinbase: EMPTY,
        nextAppHash: store.appHash(),
      }),
      ...sets.map((set, ahead) => validatorRow(height + BigInt(ahead), set)),
    ]
  } finally {
    state.close()
  }
}

/** Returns the hash of the block: of its whole header if the state has it, else the one that BLOCKHASH reads after it. */
function hashOf({ identity }: ReadContext, header: BlockHeader, next: ReadContext): Uint8Array {
  return identity.behaviours.wholeHeadersInStaking ? hashHeader(header) : evm.blockHash(next, header.height)
}

/** Returns sets of consecutive heights as the index has them. The state records no priorities, so they begin with the first. */
function setsOf(recorded: readonly (readonly Validator[])[]): readonly (readonly Validator[])[] {
  const sets: (readonly Validator[])[] = []
  for (const validators of recorded) {
    const before = sets.at(-1) ?? []
    const removed = before
      .filter(({ address }) => !validators.some((one) => equal(one.address, address)))
      .map((validator) => ({ ...validator, power: 0n }))
    sets.push(rotateProposers(sortValidators(withUpdates(before, [...validators, ...removed]))))
  }
  return sets
}
