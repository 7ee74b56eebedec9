/** The requests of an engine in both versions of ABCI, and the answers that count. */
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { parseConsensusParams } from '../../src/app/genesis-params.ts'
import { headerInit } from '../../src/app/header.ts'
import type { Validator } from '../../src/app/records.ts'
import { merkleRoot } from '../../src/consensus/comet/merkle.ts'
import {
  type Event,
  EventSchema,
  type ExecTxResult,
  ExecTxResultSchema,
  MisbehaviorType,
  type RequestSchema,
  type ValidatorUpdate,
} from '../../src/gen/tendermint/abci/types_pb.ts'
import { type ConsensusParams, ConsensusParamsSchema } from '../../src/gen/tendermint/types/params_pb.ts'
import { BlockIDFlag } from '../../src/gen/tendermint/types/validator_pb.ts'
import { ofEd25519 } from '../../src/primitives/address.ts'
import { formatHex, utf8 } from '../../src/primitives/bytes.ts'
import { toTimestamp } from '../../src/primitives/time.ts'
import { type Block, GENESIS_NS, type Outcome } from './chain.ts'
import { genesis } from './genesis.ts'

export type Dialect = '1.0' | '2.0'
export type RequestInit = NonNullable<MessageInitShape<typeof RequestSchema>['value']>

const ENGINES: Record<Dialect, { readonly version: string; readonly abciVersion: string }> = {
  '1.0': { version: '0.37.18', abciVersion: '1.0.0' },
  '2.0': { version: '0.38.25', abciVersion: '2.0.0' },
}

export const info = (dialect: Dialect): RequestInit => ({
  case: 'info',
  value: { ...ENGINES[dialect], blockVersion: 11n, p2pVersion: 8n },
})

const appStateBytes = utf8(JSON.stringify(genesis.app_state))
const consensusParams = parseConsensusParams(genesis.consensus_params as Parameters<typeof parseConsensusParams>[0])

export const initChain = (): RequestInit => ({
  case: 'initChain',
  value: {
    chainId: genesis.chain_id,
    time: toTimestamp(GENESIS_NS),
    initialHeight: 1n,
    consensusParams,
    validators: [],
    appStateBytes,
  },
})

function commitInfo({ votes, round }: Block, dialect: Dialect) {
  const { BLOCK_ID_FLAG_UNKNOWN: UNKNOWN, BLOCK_ID_FLAG_ABSENT: ABSENT, BLOCK_ID_FLAG_COMMIT: COMMIT } = BlockIDFlag
  return {
    round,
    votes: votes.map(({ validator: { address, power }, signed }) => ({
      validator: { address, power },
      signedLastBlock: dialect === '1.0' && signed,
      blockIdFlag: dialect === '1.0' ? UNKNOWN : signed ? COMMIT : ABSENT,
    })),
  }
}

function misbehaviorOf({ guilty }: Block) {
  if (!guilty) return []
  const { validator, height, timeNs, totalPower } = guilty
  return [
    {
      type: MisbehaviorType.DUPLICATE_VOTE,
      validator: { address: validator.address, power: validator.power },
      height,
      time: toTimestamp(timeNs),
      totalVotingPower: totalPower,
    },
  ]
}

/** Returns the facts of a block that its proposal and its execution share. */
function factsOf(block: Block) {
  const { header, id } = block
  return {
    misbehavior: misbehaviorOf(block),
    hash: id.hash,
    height: header.height,
    time: toTimestamp(header.timeNs),
    nextValidatorsHash: header.nextValidatorsHash,
    proposerAddress: header.proposer,
  }
}

export function prepareProposal(
  block: Block,
  txs: readonly Uint8Array[],
  maxTxBytes: number,
  dialect: Dialect,
): RequestInit {
  const { hash: _, ...facts } = factsOf(block)
  const localLastCommit = commitInfo(block, dialect)
  return {
    case: 'prepareProposal',
    value: { ...facts, txs: [...txs], maxTxBytes: BigInt(maxTxBytes), localLastCommit },
  }
}

export const processProposal = (block: Block, dialect: Dialect): RequestInit => ({
  case: 'processProposal',
  value: { ...factsOf(block), txs: [...block.txs], proposedLastCommit: commitInfo(block, dialect) },
})

export const finalizeBlock = (block: Block): RequestInit => ({
  case: 'finalizeBlock',
  value: { ...factsOf(block), txs: [...block.txs], decidedLastCommit: commitInfo(block, '2.0') },
})

export const beginBlock = (block: Block): RequestInit => ({
  case: 'beginBlock',
  value: {
    hash: block.id.hash,
    header: headerInit(block.header),
    lastCommitInfo: commitInfo(block, '1.0'),
    byzantineValidators: misbehaviorOf(block),
  },
})

const updatesOf = (updates: readonly ValidatorUpdate[]): Validator[] =>
  updates.map(({ pubKey, power }) => {
    const key = pubKey?.sum
    if (key?.case !== 'ed25519') throw new Error('a validator update without an ed25519 key')
    return { address: ofEd25519(key.value), publicKey: key.value, power }
  })

export { updatesOf as validatorsOf }

/** The answers to a block, in either version. */
export interface Answers {
  readonly results: readonly ExecTxResult[]
  readonly events: readonly Event[]
  readonly validatorUpdates: readonly ValidatorUpdate[]
  readonly consensusParamUpdates?: ConsensusParams | undefined
  readonly appHash: Uint8Array
}

/** Returns a result without the log of a success, which version 1.0 alone has. */
const withoutLog = (one: ExecTxResult): ExecTxResult => (one.code === 0 ? { ...one, log: '' } : one)

export function outcomeOf({ results, events, validatorUpdates, consensusParamUpdates, appHash }: Answers): Outcome {
  const hashed = results.map(({ code, data, gasWanted, gasUsed }) =>
    toBinary(ExecTxResultSchema, create(ExecTxResultSchema, { code, data, gasWanted, gasUsed })),
  )
  const updates = updatesOf(validatorUpdates)
  const text = [
    `app hash ${formatHex(appHash)}`,
    ...updates.map(({ publicKey, power }) => `validator ${formatHex(publicKey)} ${power}`).sort(),
    `parameters ${consensusParamUpdates ? formatHex(toBinary(ConsensusParamsSchema, consensusParamUpdates)) : 'unchanged'}`,
    ...results.map((one, i) => `result ${i} ${formatHex(toBinary(ExecTxResultSchema, withoutLog(one)))}`),
    ...events.map((one, i) => `event ${i} ${formatHex(toBinary(EventSchema, one))}`),
  ].join('\n')
  return { appHash, resultsHash: merkleRoot(hashed), text, updates, codes: results.map(({ code }) => code) }
}
