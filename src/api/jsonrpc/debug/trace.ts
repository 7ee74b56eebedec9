/** `debug_trace*`: the trace methods of geth (docs/queries.md#traces). */
import type { TracePayload } from '../../../app/trace-jobs.ts'
import { decodeTransaction } from '../../../evm/transaction/decode.ts'
import type { Transaction } from '../../../evm/transaction/types.ts'
import { type CallArgs, readBlockOverrides, readStateOverrides } from '../../../modules/evm/calls/call-args.ts'
import { readObject, readQuantity } from '../../../modules/evm/calls/hex-json.ts'
import type { CallPayload } from '../../../modules/evm/calls/jobs.ts'
import { decodeUint, equal, formatHex0x } from '../../../primitives/bytes.ts'
import { ChainError } from '../../../primitives/errors.ts'
import { decode, encode, type RlpItem } from '../../../primitives/rlp.ts'
import { findStoredEvmTx } from '../../stored-evm-tx.ts'
import { readTraceOptions } from '../../trace-config.ts'
import { minedOrder, placeBefore, type TraceOrder, unknownBlockOrder } from '../../trace-request.ts'
import { runTrace } from '../../traces.ts'
import { serverError } from '../errors.ts'
import { stateHeight, storedBlock } from '../eth/block-ref.ts'
import { callArgs } from '../eth/calls.ts'
import { hasBaseFee } from '../eth/fees.ts'
import { anyMethod, type Methods, type RpcCall } from '../method.ts'
import { type BlockRef, blockNumber, blockOrLatest, bytes, hash, json, optional } from '../params.ts'
import { type Streamed, streamed } from '../streamed.ts'
import { encodeBlock } from './raw.ts'

const config = optional(json, undefined)

const run = ({ node, signal }: RpcCall, order: TraceOrder): Streamed =>
  streamed((onPart) => runTrace(node, order, { signal: signal(), onPart }))

function traceTransaction(call: RpcCall, wanted: Uint8Array, options: unknown): Streamed {
  const { node } = call
  const settings = readTraceOptions(node, options)
  const mined = findStoredEvmTx(node, wanted)
  if (!mined) throw serverError('transaction not found')
  return run(call, minedOrder(node, mined.block, mined.tx.evmIndex, settings))
}

function traceBlock(call: RpcCall, ref: BlockRef, options: unknown): Streamed {
  const settings = readTraceOptions(call.node, options)
  return run(call, minedOrder(call.node, storedBlock(call.node, ref), undefined, settings))
}

function isGenesis(ref: BlockRef): boolean {
  return 'number' in ref && ref.number === 0n
}

function traceBlockByNumber(call: RpcCall, ref: BlockRef, options: unknown): Streamed {
  if (isGenesis(ref)) throw serverError('genesis is not traceable')
  return traceBlock(call, ref, options)
}

/** Fields of an encoded header: index in its list, minimum and maximum length in bytes. */
const HEADER = {
  parent: [0, 32, 32],
  coinbase: [2, 20, 20],
  number: [8, 0, 8],
  gasLimit: [9, 0, 8],
  time: [11, 0, 8],
  prevRandao: [13, 32, 32],
  baseFee: [15, 0, 32],
} as const

interface GivenBlock {
  readonly field: (name: keyof typeof HEADER) => Uint8Array
  readonly txs: readonly Transaction[]
}

function malformed(reason: string): Error {
  return serverError(`could not decode block: ${reason}`)
}

/** Decodes a block in Ethereum's encoding. Throws -32000 if it is malformed. */
function readBlock(encoded: Uint8Array): GivenBlock {
  const stringOf = (item: RlpItem | undefined): Uint8Array => {
    if (item instanceof Uint8Array) return item
    throw malformed('a field of the header is missing')
  }
  try {
    const [header, txs] = decode(encoded)
    if (!Array.isArray(header) || !Array.isArray(txs)) throw malformed('neither header nor transactions')
    return {
      field(name) {
        const [index, least, most] = HEADER[name]
        const bytes = stringOf(header[index])
        if (bytes.length < least || bytes.length > most) throw malformed(`${name} of ${bytes.length} bytes`)
        return bytes
      },
      txs: (txs as readonly RlpItem[]).map((tx) => decodeTransaction(tx instanceof Uint8Array ? tx : encode(tx))),
    }
  } catch (error) {
    if (error instanceof ChainError && error.codespace !== 'jsonrpc') throw malformed(error.message)
    throw error
  }
}

/** Traces a given block: a stored block as it ran, any other on the state of its parent, which must be stored. */
async function traceGivenBlock(call: RpcCall, encoded: Uint8Array, options: unknown): Promise<Streamed> {
  const { node } = call
  const settings = readTraceOptions(node, options)
  const { field, txs } = readBlock(encoded)
  const number = decodeUint(field('number'))
  if (number === 0n) throw serverError('genesis is not traceable')
  const kept = node.blocks.block(number)
  if (kept && equal(encodeBlock(node, kept), encoded)) return run(call, minedOrder(node, kept, undefined, settings))
  const parent = node.blocks.heightOfHash(field('parent'))
  if (parent === undefined) throw serverError(`parent ${formatHex0x(field('parent'))} not found`)
  const described = {
    txs,
    number,
    time: decodeUint(field('time')),
    gasLimit: decodeUint(field('gasLimit')) || undefined,
    feeRecipient: field('coinbase'),
    prevRandao: field('prevRandao'),
    baseFeeWei: hasBaseFee(node) ? decodeUint(field('baseFee')) : 0n,
    blobBaseFeeWei: undefined,
  }
  return run(call, await unknownBlockOrder(node, described, parent, settings))
}

/** Traces a call. Its overrides are in the options, beside those of the tracer. */
function traceCall(call: RpcCall, args: CallArgs, ref: BlockRef, options: unknown): Streamed {
  const { node } = call
  if (args.blobs) throw serverError('blob transactions are not supported')
  const settings = readTraceOptions(node, options)
  const fields = options === undefined ? {} : readObject(options, { type: 'tracers.TraceCallConfig' })
  const given = (name: string): unknown => fields[name] ?? undefined
  const state = given('stateOverrides')
  const block = given('blockOverrides')
  const payload: CallPayload = {
    args,
    gasCap: node.settings.gasCap,
    stateOverrides: state === undefined ? undefined : readStateOverrides(state),
    blockOverrides: block === undefined ? undefined : readBlockOverrides(block),
  }
  const index = given('txIndex')
  const place =
    index === undefined
      ? { height: stateHeight(node, ref) }
      : placeBefore(
          node,
          storedBlock(node, ref),
          readQuantity(index, { type: 'hexutil.Uint', field: 'TraceCallConfig.txIndex' }, 64),
        )
  const trace: TracePayload = {
    config: settings.config,
    subject: { kind: 'call', call: payload, within: 'within' in place ? place.within : undefined },
    outputBytes: Number.POSITIVE_INFINITY,
  }
  return run(call, { payload: trace, height: place.height, shownHeight: undefined, settings })
}

/** `debug_traceBadBlock`: a block that does not verify is not stored, and there is no other to trace. */
function traceBadBlock(_: RpcCall, wanted: Uint8Array): never {
  throw serverError(`bad block ${formatHex0x(wanted)} not found`)
}

export const traceMethods: Methods = {
  debug_traceBadBlock: anyMethod([hash, config], traceBadBlock),
  debug_traceTransaction: anyMethod([hash, config], traceTransaction),
  debug_traceCall: anyMethod([callArgs, blockOrLatest, config], traceCall),
  debug_traceBlock: anyMethod([bytes, config], traceGivenBlock),
  debug_traceBlockByNumber: anyMethod([blockNumber, config], traceBlockByNumber),
  debug_traceBlockByHash: anyMethod([hash, config], (call, wanted, options) =>
    traceBlock(call, { hash: wanted }, options),
  ),
}
