/** Blocks and their transactions, as the engine's RPC and REST give them. */
import { sha256 } from '@noble/hashes/sha2.js'
import { toHex } from '../format/address.ts'
import { ApiError, ask } from './ask.ts'
import { engine, rest } from './question.ts'

export interface BlockMeta {
  readonly block_id: { readonly hash: string }
  readonly block_size: string
  readonly header: {
    readonly chain_id: string
    readonly height: string
    readonly time: string
    readonly proposer_address: string
    readonly app_hash: string
    readonly last_block_id: { readonly hash: string }
    readonly validators_hash: string
    readonly data_hash: string
  }
  readonly num_txs: string
}

/** Number of blocks that the node gives in one answer. */
export const PAGE_BLOCKS = 20n

/** Returns the blocks from `high` down to `low`, at most `PAGE_BLOCKS` of them. */
export async function blockMetas(low: bigint, high: bigint, signal?: AbortSignal): Promise<readonly BlockMeta[]> {
  const question = engine('blockchain', { minHeight: low.toString(), maxHeight: high.toString() })
  return (await ask<{ block_metas: readonly BlockMeta[] }>(question, { signal })).block_metas
}

export interface Event {
  readonly type: string
  readonly attributes: readonly { readonly key: string; readonly value: string }[]
}

export interface Coins {
  readonly denom: string
  readonly amount: string
}

export type MessageJson = Readonly<Record<string, unknown>> & { readonly '@type': string }

/** Transaction as REST decodes it. */
export interface TxJson {
  readonly body: { readonly messages: readonly MessageJson[]; readonly memo: string; readonly timeout_height: string }
  readonly auth_info: {
    readonly fee: {
      readonly amount: readonly Coins[]
      readonly gas_limit: string
      readonly payer: string
      readonly granter: string
    }
    readonly signer_infos: readonly { readonly sequence: string }[]
  }
}

export interface TxResult {
  readonly code: number
  readonly codespace?: string
  readonly log?: string
  readonly gas_wanted: string
  readonly gas_used: string
  readonly events: readonly Event[]
}

export interface BlockTx {
  readonly height: string
  /** 64 upper-case hexadecimal digits. */
  readonly hash: string
  /** Hash of Ethereum, for a transaction of Ethereum. */
  readonly ethHash: string | undefined
  readonly tx: TxJson | undefined
  readonly result: TxResult | undefined
}

export interface Block {
  readonly hash: string
  readonly header: BlockMeta['header']
  readonly txs: readonly BlockTx[]
  /** Events that belong to no transaction, such as those of hooks. */
  readonly events: readonly Event[]
  readonly sizeBytes: number
}

interface RawBlock {
  readonly block_id: { readonly hash: string }
  readonly block: { readonly header: BlockMeta['header']; readonly data: { readonly txs: readonly string[] | null } }
}

interface RawResults {
  readonly txs_results: readonly TxResult[] | null
  readonly finalize_block_events?: readonly Event[] | null
  readonly begin_block_events?: readonly Event[] | null
  readonly end_block_events?: readonly Event[] | null
}

/** Returns the value of an attribute of the first event of a type, without the quotes of typed events. */
export function attributeOf(events: readonly Event[], type: RegExp, key: string): string | undefined {
  const event = events.find((one) => type.test(one.type))
  return event?.attributes.find((one) => one.key === key)?.value.replace(/^"|"$/g, '')
}

const fromBase64 = (text: string): Uint8Array => Uint8Array.from(atob(text), (char) => char.charCodeAt(0))

/** Returns the hash of a transaction in base64, as the engine counts it. */
const hashOf = (raw: string): string =>
  toHex(sha256(fromBase64(raw)))
    .slice(2)
    .toUpperCase()

/** Returns the hash of Ethereum of a transaction; undefined for a transaction of the SDK. */
export const ethHashOf = (messages: readonly MessageJson[]): string | undefined =>
  messages.map((message) => message['hash']).find((hash): hash is string => /^0x[0-9a-f]{64}$/i.test(String(hash)))

/** Number of transactions that REST gives in one answer. */
const PAGE_TXS = 1000

async function decodedTxs(height: bigint, signal?: AbortSignal): Promise<readonly TxJson[]> {
  const txs: TxJson[] = []
  for (;;) {
    const page = `pagination.limit=${PAGE_TXS}&pagination.offset=${txs.length}`
    const question = rest(`/sdk/tx/v1beta1/txs/block/${height}?${page}`)
    const { txs: next } = await ask<{ txs: readonly TxJson[] }>(question, { signal })
    txs.push(...next)
    if (next.length < PAGE_TXS) return txs
  }
}

/** Reads a block with its results. Rejects with `ApiError`, such as for a height that is not there. */
export async function readBlock(height: bigint, signal?: AbortSignal): Promise<Block> {
  const at = { height: height.toString() }
  const [{ block_id, block }, results, decoded] = await Promise.all([
    ask<RawBlock>(engine('block', at), { signal }),
    ask<RawResults>(engine('block_results', at), { signal }).catch(() => undefined),
    decodedTxs(height, signal).catch(() => []),
  ])
  if (!block) throw new ApiError(`There is no block ${height} yet.`, 404)
  const raws = block.data.txs ?? []
  // A transaction that cannot be decoded would shift the others.
  const areAll = decoded.length === raws.length
  return {
    hash: block_id.hash,
    header: block.header,
    sizeBytes: raws.reduce((sum, raw) => sum + fromBase64(raw).length, 0),
    events: [
      ...(results?.begin_block_events ?? []),
      ...(results?.end_block_events ?? []),
      ...(results?.finalize_block_events ?? []),
    ],
    txs: raws.map((raw, i) => {
      const tx = areAll ? decoded[i] : undefined
      return {
        height: block.header.height,
        hash: hashOf(raw),
        ethHash: tx && ethHashOf(tx.body.messages),
        tx,
        result: results?.txs_results?.[i],
      }
    }),
  }
}

/** Returns the last part of a type URL: `/sdk.bank.v1beta1.MsgSend` is `MsgSend`. */
export const shortType = (url: string): string => url.slice(url.lastIndexOf('.') + 1)

/** Functions of ERC-20 by the first four bytes of a call in hex, with the number of their arguments. */
const TOKEN_CALLS: Readonly<Record<string, { readonly name: string; readonly args: number }>> = {
  '0xa9059cbb': { name: 'transfer', args: 2 },
  '0x095ea7b3': { name: 'approve', args: 2 },
  '0x23b872dd': { name: 'transferFrom', args: 3 },
}
const WORD_BYTES = 32
const SELECTOR_BYTES = 4

/** Returns what messages do: their types, or whether an Ethereum transaction transfers, calls or deploys. */
export const actionsOf = (messages: readonly MessageJson[]): string => [...new Set(messages.map(actionOf))].join(', ')

function actionOf({ '@type': type, data: inner }: MessageJson): string {
  const name = shortType(type)
  if (name !== 'MsgEthereumTx' || typeof inner !== 'object' || inner === null) return name
  const { to, data } = inner as Readonly<Record<string, unknown>>
  if (to === '') return 'deploys a contract'
  const input = typeof data === 'string' ? atob(data) : ''
  if (input === '') return 'transfers coins'
  const selector = toHex(Uint8Array.from(input.slice(0, SELECTOR_BYTES), (byte) => byte.charCodeAt(0)))
  const known = TOKEN_CALLS[selector]
  const isKnown = known && input.length >= SELECTOR_BYTES + known.args * WORD_BYTES
  return isKnown ? `calls ${known.name}` : `calls ${selector}`
}

/** Returns the address that signs a message, as its fields name it. */
export function senderOf(message: MessageJson | undefined): string | undefined {
  if (!message) return undefined
  for (const name of [
    'sender',
    'from_address',
    'feeder',
    'delegator_address',
    'proposer',
    'voter',
    'granter',
    'depositor',
    'authority',
    'deployer_address',
    'grantee',
    'validator_address',
    'signer',
  ]) {
    const value = message[name]
    if (typeof value === 'string' && value !== '') return value
  }
  return undefined
}
