/** Arguments of `eth_simulateV1`: blocks with overrides and calls. */

import {
  type AccountOverride,
  type BlockOverrides,
  type CallArgs,
  readBlockOverrides,
  readCallArgs,
  readStateOverrides,
} from './call-args.ts'
import { cannotUnmarshal, jsonKind, readObject } from './hex-json.ts'

export interface SimulatedBlockArgs {
  readonly overrides: BlockOverrides | undefined
  readonly state: readonly AccountOverride[]
  readonly calls: readonly CallArgs[]
}

export interface SimulateArgs {
  readonly blocks: readonly SimulatedBlockArgs[]
  /** Whether nonces, funds and fees are checked as in a block. */
  readonly validation: boolean
  /** Whether transfers of wei appear as logs of a token. */
  readonly traceTransfers: boolean
  /** Whether blocks contain whole transactions instead of hashes. */
  readonly whole: boolean
}

function readList(value: unknown, field: string): readonly unknown[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw cannotUnmarshal(jsonKind(value), { type: 'slice', field })
  return value
}

function readBlock(value: unknown): SimulatedBlockArgs {
  const { blockOverrides, stateOverrides, calls } = readObject(value, { type: 'ethapi.simBlock' })
  return {
    overrides: blockOverrides === undefined || blockOverrides === null ? undefined : readBlockOverrides(blockOverrides),
    state: stateOverrides === undefined || stateOverrides === null ? [] : readStateOverrides(stateOverrides),
    calls: readList(calls, 'simBlock.calls').map(readCallArgs),
  }
}

/** Reads the options of a simulation. Throws `invalidArgument`. */
export function readSimulateArgs(value: unknown): SimulateArgs {
  const { blockStateCalls, validation, returnFullTransactions, traceTransfers } = readObject(value, {
    type: 'ethapi.simOpts',
  })
  return {
    blocks: readList(blockStateCalls, 'simOpts.blockStateCalls').map(readBlock),
    validation: validation === true,
    traceTransfers: traceTransfers === true,
    whole: returnFullTransactions === true,
  }
}
