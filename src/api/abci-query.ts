/** ABCI queries: state and services by path and bytes, over the CometBFT RPC and over gRPC. */

import { type DescMessage, type Message, toBinary } from '@bufbuild/protobuf'
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { HeightBoundsSchema } from '../gen/chain/errors/v1/errors_pb.ts'
import { methods } from '../identity/registry.ts'
import type { Identity } from '../identity/types.ts'
import { EMPTY, prefixEnd, utf8 } from '../primitives/bytes.ts'
import { ChainError, queryError, type Status } from '../primitives/errors.ts'
import type { ReadContext } from '../sdk/context.ts'
import type { GatewayNode, QueryAnswer } from './gateway.ts'
import { namesOf } from './names.ts'
import type { NodeEnvironment } from './node-info.ts'
import { readMessage } from './read-message.ts'
import { simulationResponse } from './services/tx-response.ts'
import { renameTypeUrls } from './type-urls.ts'

/** Arguments of an ABCI query. An absent height and 0 are the latest. */
export interface AbciQuery {
  readonly path?: string | undefined
  readonly data?: Uint8Array | undefined
  readonly height?: bigint | undefined
  readonly prove?: boolean | undefined
}

/** Returns the code in codespace `sdk`, and the text at the end of the log. Clients search for these texts. */
function abciCode(status: Status): { readonly code: number; readonly text: string } {
  switch (status) {
    case 'notFound':
      return { code: 22, text: 'key not found' }
    case 'invalidArgument':
    case 'failedPrecondition':
    case 'outOfRange':
      return { code: 18, text: 'invalid request' }
    case 'unauthenticated':
      return { code: 4, text: 'unauthorized' }
    case 'unimplemented':
      return { code: 37, text: 'feature not supported' }
    default:
      return { code: 6, text: 'unknown request' }
  }
}

/** Returns the name of a status in Go's gRPC, such as `NotFound`. */
function statusName(status: Status): string {
  return status === 'cancelled' ? 'Canceled' : status.charAt(0).toUpperCase() + status.slice(1)
}

/** One step of a proof, from the key to the app hash. */
interface ProofOp {
  readonly type: string
  readonly key: Uint8Array
  readonly data: Uint8Array
}

/** The answer to an ABCI query. */
interface AbciAnswer {
  readonly code: number
  readonly codespace: string
  readonly log: string
  readonly key: Uint8Array
  readonly value: Uint8Array
  readonly height: bigint
  readonly proofOps?: { readonly ops: ProofOp[] }
}

function success(value: Uint8Array, height: bigint, key: Uint8Array = EMPTY): AbciAnswer {
  return { code: 0, codespace: '', log: '', key, value, height }
}

function refusal(error: ChainError, height: bigint): AbciAnswer {
  const { code, text } = abciCode(error.status)
  const log = `rpc error: code = ${statusName(error.status)} desc = ${error.message}: ${text}`
  return { code, codespace: 'sdk', log, key: EMPTY, value: EMPTY, height }
}

/**
 * Answers an ABCI query, also for the gRPC method `ABCIQuery`. Height 0 is the latest. A failure is an answer with a code;
 * with `throwsHeightErrors` a height that cannot be read is thrown (D17).
 */
export async function answerAbciQuery(
  environment: NodeEnvironment,
  query: AbciQuery,
  { throwsHeightErrors = false } = {},
): Promise<AbciAnswer> {
  const { node } = environment
  const { path = '', data = EMPTY, prove = false } = query
  const height = query.height === undefined || query.height === 0n ? undefined : query.height
  const latest = node.blocks.latestHeight()
  try {
    if (height !== undefined && height < 0n) throw queryError('invalidArgument', `invalid height ${height}`)
    const [, first, ...rest] = path.split('/')
    if (first === 'store') return await readStore(node, rest, data, { height, prove })
    if (prove) throw queryError('invalidArgument', `only /store/NAME/key is proved, not ${path}`)
    if (first === 'app') return success(await answerApp(environment, rest.join('/'), data), latest)
    return await answerService(node, path, data, height)
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    if (throwsHeightErrors && error.details.some(({ $typeName }) => $typeName === HeightBoundsSchema.typeName))
      throw error
    return refusal(error, height ?? latest)
  }
}

async function answerApp({ node, nodeInfo }: NodeEnvironment, path: string, data: Uint8Array): Promise<Uint8Array> {
  if (path === 'version') return utf8(node.settings.version)
  if (path === 'simulate') return await simulationResponse(nodeInfo, data)
  throw queryError('unknown', `unknown query: /app/${path}`)
}

/** Size of the keys and values of a prefix. Beyond: an error that asks for a longer prefix. */
const MAX_SUBSPACE_BYTES = 1 << 20
/** Entries of a prefix, which are read in one turn of the event loop. Beyond: an error that asks for a longer prefix. */
const MAX_SUBSPACE_ENTRIES = 4096

/** Reads `/store/<name>/key`: one value in its stored form; or `/store/<name>/subspace`: every entry below a prefix. */
async function readStore(
  node: GatewayNode,
  [store = '', kind = '']: readonly string[],
  key: Uint8Array,
  { height, prove }: { readonly height: bigint | undefined; readonly prove: boolean },
): Promise<AbciAnswer> {
  if (kind !== 'key' && kind !== 'subspace')
    throw queryError('unknown', `unexpected query path: /store/${store}/${kind}`)
  if (key.length === 0) throw queryError('invalidArgument', 'query cannot be zero length')
  if (kind === 'subspace') {
    if (prove) throw queryError('invalidArgument', `only /store/NAME/key is proved, not /store/${store}/subspace`)
    return node.withContext(height, (ctx) => success(entriesBelow(ctx, store, key), ctx.block.height, key))
  }
  if (prove) return await proveKey(node, store, key, height)
  return node.withContext(height, (ctx) => success(ctx.store.get(store, key) ?? EMPTY, ctx.block.height, key))
}

/** Returns the entries of a store below a prefix as `Pairs` (cosmos/store/internal/kv/v1beta1/kv.proto). Throws `resourceExhausted`. */
function entriesBelow(ctx: ReadContext, store: string, prefix: Uint8Array): Uint8Array {
  const pairs = new BinaryWriter()
  let [entries, size] = [0, 0]
  for (const [key, value] of ctx.store.iterate(store, { start: prefix, end: prefixEnd(prefix) })) {
    size += key.length + value.length
    if (++entries > MAX_SUBSPACE_ENTRIES || size > MAX_SUBSPACE_BYTES)
      throw queryError(
        'resourceExhausted',
        `store ${store} has more than ${MAX_SUBSPACE_ENTRIES} entries or ${MAX_SUBSPACE_BYTES} bytes below this prefix: give a longer one`,
      )
    pairs.tag(1, WireType.LengthDelimited).fork()
    pairs.tag(1, WireType.LengthDelimited).bytes(key)
    pairs.tag(2, WireType.LengthDelimited).bytes(value)
    pairs.join()
  }
  return pairs.finish()
}

/**
 * Proves the value of a key, or its absence, against the app hash in the header of the next height. The default height is
 * the last whose next header exists. At the tip the answer waits for that header.
 */
async function proveKey(
  node: GatewayNode,
  store: string,
  key: Uint8Array,
  asked: bigint | undefined,
): Promise<AbciAnswer> {
  const latest = node.blocks.latestHeight()
  const withHeader = latest > node.blocks.earliestHeight() ? latest - 1n : latest
  const { height, proofs } = await node.prove(asked ?? withHeader, [{ store, key }])
  const { value, keyProof, storeProof } = proofs[0]!
  await node.driver.nextHeader(height)
  return {
    ...success(value ?? EMPTY, height, key),
    proofOps: {
      ops: [
        { type: 'ics23:iavl', key, data: keyProof },
        { type: 'ics23:simple', key: utf8(store), data: storeProof },
      ],
    },
  }
}

/** Answers `/<package>.<Service>/<Method>` under its neutral name or that of any profile. */
async function answerService(
  node: GatewayNode,
  path: string,
  data: Uint8Array,
  height: bigint | undefined,
): Promise<AbciAnswer> {
  const [, service = '', name = ''] = /^\/([^/]+)\/([^/]+)$/.exec(path) ?? []
  const neutral = node.identity.toNeutralName(service)
  const method = methods.get(`/${neutral}/${name}`)
  if (!method) throw queryError('unknown', `unknown query path: ${path}`)
  const request = decodeRequest(node.identity, method.input, data)
  const answer: QueryAnswer = await node.dispatch({ method: `/${neutral}/${name}`, request, height })
  if (!answer.ok) throw answer.error
  const family = namesOf(node.identity).familyOf(service, neutral)
  const response = renameTypeUrls(node.identity, family, method.output, answer.response)
  return success(toBinary(method.output, response), answer.height)
}

function decodeRequest(identity: Identity, schema: DescMessage, data: Uint8Array): Message {
  try {
    return readMessage(identity, schema, data)
  } catch (error) {
    if (error instanceof ChainError) throw error
    throw queryError('invalidArgument', `data is not an encoded ${schema.typeName}`)
  }
}
