/**
 * Contracts of the Wasm module, read from its store (docs/state-layout.md#wasm-contracts). Nothing here runs their code. Errors are
 * those of the reference's querier.
 */
import { fromBinary } from '@bufbuild/protobuf'
import { Query } from '../../gen/cosmwasm/wasm/v1/query_pb.ts'
import { ContractInfoSchema } from '../../gen/cosmwasm/wasm/v1/types_pb.ts'
import * as address from '../../identity/address.ts'
import { concat, decodeUint64, EMPTY, encodeUint64 } from '../../primitives/bytes.ts'
import { defineErrors, queryError } from '../../primitives/errors.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { defineQueries } from '../../sdk/module.ts'
import { parseField, wrongField } from '../../sdk/request.ts'
import { type PageRequest, readPage } from '../../store/collections/page.ts'

const STORE = 'wasm'
const INFO = 0x02
const STATE = 0x03
const BY_CODE = 0x06
const PINNED = 0x07
const BY_CREATOR = 0x09
/** Height and place in the block, before the address in the indexes. */
const POSITION_LENGTH = 16

const errors = defineErrors('wasm', { noContract: { code: 22, status: 'unknown', text: 'no such contract' } })

const keyOf = (prefix: number, one: Uint8Array = EMPTY, two: Uint8Array = EMPTY): Uint8Array =>
  concat(Uint8Array.of(prefix), one, two)

const parse = (ctx: ReadContext, field: string, text: string): Uint8Array =>
  parseField(field, () => address.parse(ctx, text))

/** Returns the stored facts about a contract. Throws wasm 22. */
function infoOf(ctx: ReadContext, contract: Uint8Array): Uint8Array {
  const stored = ctx.store.get(STORE, keyOf(INFO, contract))
  if (!stored) throw errors.noContract(`address ${address.format(ctx, contract)}`)
  return stored
}

function pageOf<Item>(
  ctx: ReadContext,
  prefix: Uint8Array,
  request: PageRequest | undefined,
  convert: (rest: Uint8Array, value: Uint8Array) => Item,
): { entries: Item[]; pagination: { nextKey: Uint8Array; total: bigint } } {
  const { entries, nextKey, total } = readPage(
    ctx.store,
    STORE,
    prefix,
    request,
    ([key, value]) => convert(key.subarray(prefix.length), value),
    { every: true },
  )
  return { entries, pagination: { nextKey, total } }
}

/** Returns a page of the contracts under an index. */
const listed = (ctx: ReadContext, prefix: Uint8Array, request: PageRequest | undefined) =>
  pageOf(ctx, prefix, request, (rest) => address.format(ctx, rest.subarray(POSITION_LENGTH)))

export const contracts = defineQueries(Query, {
  contractInfo(ctx, { address: text }) {
    const contract = parse(ctx, 'address', text)
    return { address: text, contractInfo: fromBinary(ContractInfoSchema, infoOf(ctx, contract)) }
  },
  contractsByCode(ctx, { codeId, pagination: request }) {
    if (codeId === 0n) throw wrongField('code_id', 'code id: invalid')
    const { entries, pagination } = listed(ctx, keyOf(BY_CODE, encodeUint64(codeId)), request)
    return { contracts: entries, pagination }
  },
  contractsByCreator(ctx, { creatorAddress, pagination: request }) {
    const creator = parse(ctx, 'creator_address', creatorAddress)
    const { entries, pagination } = listed(ctx, keyOf(BY_CREATOR, Uint8Array.of(creator.length), creator), request)
    return { contractAddresses: entries, pagination }
  },
  allContractState(ctx, { address: text, pagination: request }) {
    const contract = parse(ctx, 'address', text)
    infoOf(ctx, contract)
    const { entries, pagination } = pageOf(ctx, keyOf(STATE, contract), request, (key, value) => ({ key, value }))
    return { models: entries, pagination }
  },
  rawContractState(ctx, { address: text, queryData }) {
    const contract = parse(ctx, 'address', text)
    infoOf(ctx, contract)
    const data = ctx.store.get(STORE, keyOf(STATE, contract, queryData))
    return data ? { data } : {}
  },
  smartContractState(ctx, { address: text }) {
    infoOf(ctx, parse(ctx, 'address', text))
    throw queryError(
      'unimplemented',
      `the answer of contract ${text} is what its Wasm code computes, which this node does not run: ask a node of the chain, or read what it stores at /cosmwasm/wasm/v1/contract/${text}/state`,
    )
  },
  pinnedCodes(ctx, { pagination: request }) {
    const { entries, pagination } = pageOf(ctx, keyOf(PINNED), request, (rest) => decodeUint64(rest))
    return { codeIds: entries, pagination }
  },
})
