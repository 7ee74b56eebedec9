/** Transactions and their results in the form of the transaction service (docs/transactions.md#results). */

import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import type { StoredBlock, TxResult } from '../../app/records.ts'
import { logOf } from '../../app/result.ts'
import type { CheckResult } from '../../app/types.ts'
import { formatUpperHex } from '../../consensus/comet/block-json.ts'
import {
  ABCIMessageLogSchema,
  AttributeSchema,
  type GasInfoSchema,
  type ResultSchema,
  SimulationResponseSchema,
  TxMsgDataSchema,
  TxResponseSchema,
} from '../../gen/sdk/base/abci/v1beta1/abci_pb.ts'
import { type Tx, TxSchema } from '../../gen/sdk/tx/v1beta1/tx_pb.ts'
import { EventAttributeSchema, EventSchema } from '../../gen/tendermint/abci/types_pb.ts'
import type { Identity } from '../../identity/types.ts'
import { type LateText, lateTextOf, wholeResult } from '../../indexer/late-values.ts'
import { ChainError, queryError, type Status } from '../../primitives/errors.ts'
import { sha256 } from '../../primitives/hash.ts'
import { formatRfc3339, toTimestamp } from '../../primitives/time.ts'
import type { ChainEvent } from '../../store/types.ts'
import type { GatewayNode } from '../gateway.ts'
import { type LongFields, withLongFields } from '../long-messages.ts'
import type { NodeInfo } from '../node-info.ts'
import { readMessage } from '../read-message.ts'
import { answerSize, eventsByMessage, hexDataPieces, LONG_RESULT_BYTES, logPieces } from '../stored-results.ts'

/** Decodes a transaction; undefined if the bytes are malformed. */
export function tryDecodeTx(bytes: Uint8Array): Tx | undefined {
  try {
    return fromBinary(TxSchema, bytes)
  } catch {
    return undefined
  }
}

/** Decodes a transaction of a block. Throws `invalidArgument` if the bytes are malformed. */
export function decodeTx(bytes: Uint8Array): Tx {
  const tx = tryDecodeTx(bytes)
  if (!tx) throw queryError('invalidArgument', 'tx parse error')
  return tx
}

/** Decodes a transaction of a stranger. Throws `invalidArgument` if the bytes are malformed, or have too many fields. */
export function readTx(identity: Identity, bytes: Uint8Array): Tx {
  try {
    return readMessage(identity, TxSchema, bytes)
  } catch (error) {
    throw error instanceof ChainError ? error : queryError('invalidArgument', 'tx parse error')
  }
}

function eventInits(events: readonly ChainEvent[]): MessageInitShape<typeof EventSchema>[] {
  return events.map(({ type, attributes }) => ({
    type,
    attributes: attributes.map((attribute) => {
      const late = lateTextOf(attribute)
      const { key } = attribute
      if (!late) return { key, value: attribute.value, index: true }
      return withLongFields(create(EventAttributeSchema, { key, index: true }), longValueOf(late))
    }),
  }))
}

/** Returns the long field of an attribute. */
function longValueOf({ size, pieces }: LateText): LongFields {
  return { sizeBytes: size, texts: { value: pieces }, lists: {} }
}

/** Returns the response for a transaction of a block. A long one has long fields. */
export function txResponse(
  { identity }: GatewayNode,
  block: StoredBlock,
  index: number,
): MessageInitShape<typeof TxResponseSchema> {
  const [tx, result] = [block.txs[index]!, block.results[index]!]
  const { seconds } = toTimestamp(block.header.timeNs)
  const fields = {
    height: block.header.height,
    txhash: formatUpperHex(sha256(tx)),
    codespace: result.codespace,
    code: result.code,
    info: result.info,
    gasWanted: result.gasWanted,
    gasUsed: result.gasUsed,
    tx: { typeUrl: `/${identity.toProfileName(TxSchema.typeName)}`, value: tx },
    timestamp: formatRfc3339({ seconds, nanos: 0 }),
  }
  const sizeBytes = answerSize(block, index)
  if (sizeBytes < LONG_RESULT_BYTES) {
    const whole = wholeResult(result)
    return {
      ...fields,
      data: formatUpperHex(whole.data),
      rawLog: logOf(whole),
      logs: logInits(whole),
      events: eventInits(whole.events),
    }
  }
  return withLongFields(create(TxResponseSchema, fields), {
    sizeBytes,
    texts: { data: () => hexDataPieces(result), rawLog: () => logPieces(result) },
    lists: {
      logs: () => logInits(result).map((init) => create(ABCIMessageLogSchema, init)),
      events: () => eventInits(result.events).map((init) => create(EventSchema, init)),
    },
  })
}

interface LogEntry {
  readonly msg_index?: number
  readonly log?: string
  readonly events?: readonly ChainEvent[]
}

/** Returns the logs of a result: an entry for each message of a success; any other log has no entries. */
function logInits(result: TxResult): MessageInitShape<typeof ABCIMessageLogSchema>[] {
  const entries: readonly LogEntry[] = eventsByMessage(result) ?? parseLogs(logOf(result))
  return entries.map((entry) => ({
    msgIndex: entry.msg_index ?? 0,
    log: entry.log ?? '',
    events: (entry.events ?? []).map(({ type, attributes }) => ({
      type,
      attributes: attributes.map((attribute) => {
        const late = lateTextOf(attribute)
        const { key } = attribute
        if (!late) return { key, value: attribute.value }
        return withLongFields(create(AttributeSchema, { key }), longValueOf(late))
      }),
    })),
  }))
}

function parseLogs(log: string): readonly LogEntry[] {
  if (!log.startsWith('[')) return []
  try {
    return JSON.parse(log) as readonly LogEntry[]
  } catch {
    return []
  }
}

/** Simulates a transaction and returns its gas and result. Throws the failure of the run, with the gas in its message. */
export async function simulate(
  nodeInfo: NodeInfo,
  tx: Uint8Array,
  signal?: AbortSignal,
): Promise<{
  readonly gasInfo: MessageInitShape<typeof GasInfoSchema>
  readonly result: MessageInitShape<typeof ResultSchema>
}> {
  if (tx.length === 0) throw queryError('invalidArgument', 'empty txBytes is not allowed')
  const run = await nodeInfo.simulate(tx, signal)
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

/** Returns an encoded `SimulationResponse`, the answer of the ABCI path `/app/simulate`. Throws the errors of `simulate`. */
export async function simulationResponse(nodeInfo: NodeInfo, tx: Uint8Array): Promise<Uint8Array> {
  return toBinary(SimulationResponseSchema, create(SimulationResponseSchema, await simulate(nodeInfo, tx)))
}

function simulationError(run: CheckResult): ChainError {
  const text = `${run.log} With gas wanted: '${run.gasWanted}' and gas used: '${run.gasUsed}' `
  const { error } = run
  const details = error instanceof ChainError ? error.details : []
  const status = error instanceof ChainError ? error.status : statusOfCode(run.codespace, run.code)
  return new ChainError(run.codespace, { code: run.code, status, text }, text, details)
}

/** Returns the status of a registered error whose object did not survive the way from a worker. */
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
