/** Transactions and their results as the transaction service shows them (support-modules.md §4.5). */
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import type { StoredBlock } from '../../app/records.ts'
import { logOf } from '../../app/result.ts'
import type { CheckResult } from '../../app/types.ts'
import { formatUpperHex } from '../../consensus/comet/block-json.ts'
import {
  type ABCIMessageLogSchema,
  type GasInfoSchema,
  type ResultSchema,
  SimulationResponseSchema,
  TxMsgDataSchema,
  type TxResponseSchema,
} from '../../gen/sdk/base/abci/v1beta1/abci_pb.ts'
import { type Tx, TxSchema } from '../../gen/sdk/tx/v1beta1/tx_pb.ts'
import type { EventSchema } from '../../gen/tendermint/abci/types_pb.ts'
import { ChainError, queryError, type Status } from '../../primitives/errors.ts'
import { sha256 } from '../../primitives/hash.ts'
import { formatRfc3339, toTimestamp } from '../../primitives/time.ts'
import type { ChainEvent } from '../../store/types.ts'
import type { GatewayNode } from '../gateway.ts'
import type { Engine } from '../node-info.ts'

/** Undefined if the bytes are no transaction. */
export function tryDecodeTx(bytes: Uint8Array): Tx | undefined {
  try {
    return fromBinary(TxSchema, bytes)
  } catch {
    return undefined
  }
}

/** Throws `invalidArgument` if the bytes are no transaction. */
export function decodeTx(bytes: Uint8Array): Tx {
  const tx = tryDecodeTx(bytes)
  if (!tx) throw queryError('invalidArgument', 'tx parse error')
  return tx
}

function eventInits(events: readonly ChainEvent[]): MessageInitShape<typeof EventSchema>[] {
  return events.map(({ type, attributes }) => ({
    type,
    attributes: attributes.map(({ key, value }) => ({ key, value, index: true })),
  }))
}

/** The result of a transaction in a block. */
export function txResponse(
  { identity }: GatewayNode,
  block: StoredBlock,
  index: number,
): MessageInitShape<typeof TxResponseSchema> {
  const [tx, result] = [block.txs[index]!, block.results[index]!]
  const { seconds } = toTimestamp(block.header.timeNs)
  const log = logOf(result)
  return {
    height: block.header.height,
    txhash: formatUpperHex(sha256(tx)),
    codespace: result.codespace,
    code: result.code,
    data: formatUpperHex(result.data),
    rawLog: log,
    logs: parseLogs(log),
    info: result.info,
    gasWanted: result.gasWanted,
    gasUsed: result.gasUsed,
    tx: { typeUrl: `/${identity.toProfileName(TxSchema.typeName)}`, value: tx },
    timestamp: formatRfc3339({ seconds, nanos: 0 }),
    events: eventInits(result.events),
  }
}

interface LogEntry {
  readonly msg_index?: number
  readonly log?: string
  readonly events?: readonly ChainEvent[]
}

/** The log of a success is a JSON array with an entry per message; any other log has no entries. */
function parseLogs(log: string): MessageInitShape<typeof ABCIMessageLogSchema>[] {
  if (!log.startsWith('[')) return []
  try {
    return (JSON.parse(log) as readonly LogEntry[]).map((entry) => ({
      msgIndex: entry.msg_index ?? 0,
      log: entry.log ?? '',
      events: (entry.events ?? []).map(({ type, attributes }) => ({
        type,
        attributes: attributes.map(({ key, value }) => ({ key, value })),
      })),
    }))
  } catch {
    return []
  }
}

/** Gas and result of a simulated run. Throws the run's own failure, with the gas in its message. */
export async function simulate(
  engine: Engine,
  tx: Uint8Array,
  signal?: AbortSignal,
): Promise<{
  readonly gasInfo: MessageInitShape<typeof GasInfoSchema>
  readonly result: MessageInitShape<typeof ResultSchema>
}> {
  if (tx.length === 0) throw queryError('invalidArgument', 'empty txBytes is not allowed')
  const run = await engine.simulate(tx, signal)
  if (run.code !== 0) throw simulationError(run)
  return {
    gasInfo: { gasWanted: run.gasWanted, gasUsed: run.gasUsed },
    result: {
      data: run.data,
      log: run.log,
      events: eventInits(run.events),
      msgResponses: fromBinary(TxMsgDataSchema, run.data).msgResponses,
    },
  }
}

/** Encoded `SimulationResponse`: what the ABCI path `/app/simulate` answers. Throws as `simulate`. */
export async function simulationResponse(engine: Engine, tx: Uint8Array): Promise<Uint8Array> {
  return toBinary(SimulationResponseSchema, create(SimulationResponseSchema, await simulate(engine, tx)))
}

function simulationError(run: CheckResult): ChainError {
  const text = `${run.log} With gas wanted: '${run.gasWanted}' and gas used: '${run.gasUsed}' `
  const { error } = run
  const details = error instanceof ChainError ? error.details : []
  const status = error instanceof ChainError ? error.status : statusOfCode(run.codespace, run.code)
  return new ChainError(run.codespace, { code: run.code, status, text }, text, details)
}

/** The status of a registered error whose own object was lost on the way from a worker (gateway.md §5.3). */
function statusOfCode(codespace: string, code: number): Status {
  if (codespace === 'undefined') return 'internal'
  if (codespace !== 'sdk') return 'failedPrecondition'
  switch (code) {
    case 4:
      return 'permissionDenied'
    case 2:
    case 6:
    case 7:
    case 8:
    case 9:
    case 10:
    case 18:
    case 26:
      return 'invalidArgument'
    case 22:
    case 38:
      return 'notFound'
    case 11:
      return 'resourceExhausted'
    case 20:
      return 'unavailable'
    case 37:
      return 'unimplemented'
    case 35:
    case 39:
      return 'internal'
    default:
      return 'failedPrecondition'
  }
}
