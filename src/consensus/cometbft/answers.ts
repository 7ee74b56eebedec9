/** Answers to an engine, from results of the state machine. */
import { create, type MessageInitShape } from '@bufbuild/protobuf'
import type { StoredBlock, TxResult, Validator } from '../../app/records.ts'
import { logOf } from '../../app/result.ts'
import {
  type Event,
  type EventAttribute,
  EventAttributeSchema,
  EventSchema,
  type ExecTxResult,
  ExecTxResultSchema,
  type ResponseCheckTxSchema,
  type ValidatorUpdate,
  ValidatorUpdateSchema,
} from '../../gen/tendermint/abci/types_pb.ts'
import type { ChainEvent } from '../../store/types.ts'
import type { Admission } from '../driver.ts'

const EVENT = EventSchema.typeName
const ATTRIBUTE = EventAttributeSchema.typeName

/** Returns events as messages. They are literals: a block has tens of thousands of attributes, and `create` fills each field by its name. */
export function eventsOf(events: StoredBlock['blockEvents'] | readonly ChainEvent[]): Event[] {
  return events.map(({ type, attributes }) => ({ $typeName: EVENT, type, attributes: attributes.map(attributeOf) }))
}

const attributeOf = ({ key, value }: { readonly key: string; readonly value: string }): EventAttribute => ({
  $typeName: ATTRIBUTE,
  key,
  value,
  index: true,
})

/**
 * Returns the result of a transaction with its log. The log of a success repeats the events as JSON: half of all bytes, which the engine
 * would store.
 */
export function resultOf(result: TxResult): ExecTxResult {
  return withLog(result, logOf(result))
}

/** Returns the result without the log of a success, as applications of ABCI 2.0 answer it. The log of a failure is its reason. */
export function shortResultOf(result: TxResult): ExecTxResult {
  return withLog(result, result.code === 0 ? '' : logOf(result))
}

function withLog(result: TxResult, log: string): ExecTxResult {
  const { code, codespace, info, data, gasWanted, gasUsed, events } = result
  return create(ExecTxResultSchema, {
    code,
    codespace,
    info,
    data,
    gasWanted,
    gasUsed,
    log,
    events: eventsOf(events),
  })
}

/** Returns the changes of a validator set. The engine wants each key once; their order has no meaning. */
export function updatesOf(validators: readonly Validator[]): ValidatorUpdate[] {
  return validators.map(({ publicKey, power }) =>
    create(ValidatorUpdateSchema, { pubKey: { sum: { case: 'ed25519', value: publicKey } }, power }),
  )
}

/** Returns the answer to CheckTx. An engine with a gas limit drops a transaction of negative gas without a word, so none is. */
export function checkAnswer({
  code,
  codespace,
  log,
  gasWanted,
  gasUsed,
}: Omit<Admission, 'hash'>): MessageInitShape<typeof ResponseCheckTxSchema> {
  return { code, codespace, log, gasWanted: gasWanted < 0n ? 0n : gasWanted, gasUsed }
}
