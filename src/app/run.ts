/** Execution of a transaction's messages in order, on one branch. */
import * as address from '../identity/address.ts'
import { ChainError } from '../primitives/errors.ts'
import type { Context } from '../sdk/context.ts'
import { errors, isOutOfGas } from '../sdk/errors.ts'
import { type DecodedTx, signersOf } from '../sdk/tx.ts'
import type { ChainEvent } from '../store/types.ts'
import type { Machine } from './machine.ts'
import { encodeResponses, type MessageResponse } from './result.ts'

export interface RunResult {
  /** Encoded `TxMsgData`. */
  readonly data: Uint8Array
  readonly eventsOfMessages: readonly (readonly ChainEvent[])[]
  readonly events: readonly ChainEvent[]
}

/**
 * Runs every message. The events of a message follow the event that names it. Throws the first failure, prefixed with the index
 * of its message; the caller drops the branch.
 */
export function runMessages(machine: Machine, ctx: Context, tx: DecodedTx): RunResult {
  const responses: MessageResponse[] = []
  const eventsOfMessages: ChainEvent[][] = []
  for (const [index, { schema, message }] of tx.messages.entries()) {
    const route = machine.router.route(schema.typeName)
    if (!route) throw errors.unknownRequest(`can't route message ${schema.typeName}`)
    const typeUrl = `/${ctx.identity.toProfileName(schema.typeName)}`
    try {
      responses.push({ schema: route.method.output, message: route.handle(ctx, message) })
    } catch (error) {
      throw placed(error, index)
    }
    const own = ctx.branchStore.events.splice(0)
    const [signer] = signersOf(ctx.identity, schema, message)
    const attributes = [{ key: 'action', value: typeUrl }]
    if (signer) attributes.push({ key: 'sender', value: address.format(ctx, signer) })
    if (!own.some((event) => event.attributes.some(({ key }) => key === 'module'))) {
      attributes.push({ key: 'module', value: typeUrl.split('.')[1] ?? '' })
    }
    eventsOfMessages.push([{ type: 'message', attributes }, ...own])
  }
  const data = encodeResponses(ctx.identity, responses)
  return { data, eventsOfMessages, events: eventsOfMessages.flat() }
}

function placed(error: unknown, index: number): unknown {
  if (!(error instanceof ChainError) || isOutOfGas(error)) return error
  const { codespace, code, status, details } = error
  const message = `failed to execute message; message index: ${index}: ${error.message}`
  return new ChainError(codespace, { code, status, text: error.message }, message, details)
}
