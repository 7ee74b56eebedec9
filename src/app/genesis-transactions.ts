/** Genesis transactions: the first validators sign them, and they are delivered before the first block. */
import { create, type JsonValue, toBinary } from '@bufbuild/protobuf'
import { AuthInfoSchema, TxBodySchema, TxRawSchema, TxSchema } from '../gen/sdk/tx/v1beta1/tx_pb.ts'
import { complete } from '../identity/complete.ts'
import type { Context } from '../sdk/context.ts'
import { errors } from '../sdk/errors.ts'
import { fromJson } from '../sdk/json.ts'
import { decodeTx } from '../sdk/tx.ts'
import { deliver } from './deliver.ts'
import type { Machine } from './machine.ts'
import { logOf } from './result.ts'
import { GENESIS_TRANSACTIONS } from './unbuilt-sections.ts'

/** Returns the transactions of a section; an absent section has no transactions. */
function transactionsOf(section: unknown): readonly JsonValue[] {
  if (section === undefined || section === null) return []
  const list = (section as { gen_txs?: unknown }).gen_txs ?? []
  if (!Array.isArray(list)) throw errors.invalidRequest(`${GENESIS_TRANSACTIONS}: gen_txs must be a list`)
  return list as JsonValue[]
}

/** Encodes a transaction to the signed bytes, which its JSON determines. */
function encodeTx(ctx: Context, json: JsonValue, place: string): Uint8Array {
  const { body, authInfo, signatures } = fromJson(ctx, TxSchema, json, place)
  return toBinary(
    TxRawSchema,
    create(TxRawSchema, {
      bodyBytes: toBinary(TxBodySchema, complete(TxBodySchema, body ?? create(TxBodySchema))),
      authInfoBytes: toBinary(AuthInfoSchema, complete(AuthInfoSchema, authInfo ?? create(AuthInfoSchema))),
      signatures,
    }),
  )
}

/** Delivers the transactions in order and returns their number. Throws sdk 18 with the index and log of the first that fails. */
export function deliverGenesisTransactions(machine: Machine, ctx: Context, section: unknown): number {
  const transactions = transactionsOf(section)
  for (const [i, json] of transactions.entries()) {
    const place = `${GENESIS_TRANSACTIONS}.gen_txs[${i}]`
    const bytes = encodeTx(ctx, json, place)
    const decode = () => decodeTx(machine.router.facts, machine.identity, bytes)
    const { result } = deliver(machine, ctx, { limit: 0n, used: 0n }, decode, i)
    if (result.code !== 0) throw errors.invalidRequest(`${place}: ${logOf(result)}`)
  }
  return transactions.length
}
