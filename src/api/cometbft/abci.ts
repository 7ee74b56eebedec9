/** ABCI queries: the state behind a path and bytes, for clients that have only this port (support-modules.md §1.2). */
import { create, type DescMessage, fromBinary, type Message, toBinary } from '@bufbuild/protobuf'
import { base64OrNull } from '../../consensus/comet/block-json.ts'
import { HeightBoundsSchema } from '../../gen/chain/errors/v1/errors_pb.ts'
import { QueryParamsRequestSchema, type QueryParamsResponse } from '../../gen/sdk/consensus/v1/query_pb.ts'
import { createIdentity } from '../../identity/identity.ts'
import { COSMJS, profile } from '../../identity/profiles/almanac.ts'
import { methods, registry } from '../../identity/registry.ts'
import { EMPTY, formatBase64, utf8 } from '../../primitives/bytes.ts'
import { ChainError, queryError, type Status } from '../../primitives/errors.ts'
import { fromTimestamp } from '../../primitives/time.ts'
import type { GatewayNode, QueryAnswer } from '../gateway.ts'
import { simulationResponse } from '../services/tx-response.ts'
import { renameTypeUrls } from '../type-urls.ts'
import type { CometEnvironment, Json } from './method.ts'
import type { Params } from './params.ts'

export type AbciQueryParams = Params<{ path: 'text'; data: 'hexBytes'; height: 'int'; prove: 'bool' }>

/** Code of the codespace `sdk` and the text that ends the log, by status; clients test for these words. */
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

/** `NotFound`: the name of a status in the words of gRPC's first implementation. */
function statusName(status: Status): string {
  return status === 'cancelled' ? 'Canceled' : status.charAt(0).toUpperCase() + status.slice(1)
}

/** One step of a proof, from the key to the app hash. */
interface ProofOp {
  readonly type: string
  readonly key: Uint8Array
  readonly data: Uint8Array
}

/** What an ABCI query answers. */
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

/** The method `abci_query`. A refused query is a result with a code, never an error of the RPC. */
export async function abciQuery(environment: CometEnvironment, params: AbciQueryParams): Promise<Json> {
  const answer = await answerAbciQuery(environment, params)
  return {
    response: {
      code: answer.code,
      log: answer.log,
      info: '',
      index: '0',
      key: base64OrNull(answer.key),
      value: base64OrNull(answer.value),
      proofOps: answer.proofOps
        ? {
            ops: answer.proofOps.ops.map(({ type, key, data }) => ({
              type,
              key: formatBase64(key),
              data: formatBase64(data),
            })),
          }
        : null,
      height: answer.height.toString(),
      codespace: answer.codespace,
    },
  }
}

/**
 * The same as data, also for the gRPC method `ABCIQuery`. Height 0 is the latest. A refusal is an answer with a code; only
 * where the caller asks for it, heights that cannot be read are thrown (D17).
 */
export async function answerAbciQuery(
  environment: CometEnvironment,
  params: AbciQueryParams,
  { throwsHeightErrors = false } = {},
): Promise<AbciAnswer> {
  const { node } = environment
  const { path = '', data = EMPTY, prove = false } = params
  const height = params.height === undefined || params.height === 0n ? undefined : params.height
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

async function answerApp({ node, engine }: CometEnvironment, path: string, data: Uint8Array): Promise<Uint8Array> {
  if (path === 'version') return utf8(node.settings.version)
  if (path === 'simulate') return await simulationResponse(engine, data)
  throw queryError('unknown', `unknown query: /app/${path}`)
}

/** `/store/<name>/key`: one value as the store holds it. */
async function readStore(
  node: GatewayNode,
  [store = '', kind = '']: readonly string[],
  key: Uint8Array,
  { height, prove }: { readonly height: bigint | undefined; readonly prove: boolean },
): Promise<AbciAnswer> {
  if (kind !== 'key') throw queryError('unknown', `unexpected query path: /store/${store}/${kind}`)
  if (key.length === 0) throw queryError('invalidArgument', 'query cannot be zero length')
  if (prove) return await proveKey(node, store, key, height)
  return node.withContext(height, (ctx) => success(ctx.store.get(store, key) ?? EMPTY, ctx.block.height, key))
}

/**
 * A value, or that there is none, with the proof against the app hash in the header of the next height. Without a height
 * that of the last block but one, whose next header exists; at the tip the answer waits for that header.
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

/** `/<package>.<Service>/<Method>` under its neutral or any profile's name. */
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
  const request = decodeRequest(method.input, data)
  const answer: QueryAnswer = await node.dispatch({ method: `/${neutral}/${name}`, request, height })
  if (!answer.ok) throw answer.error
  const response = inWordsOf(node, service, neutral, method.output, answer.response)
  return success(toBinary(method.output, response), answer.height)
}

function decodeRequest(schema: DescMessage, data: Uint8Array): Message {
  try {
    return fromBinary(schema, data)
  } catch {
    throw queryError('invalidArgument', `the data is no ${schema.typeName}`)
  }
}

const cosmjs = createIdentity({ ...profile, names: COSMJS })

/**
 * Client libraries hard-code the names of a message family, in the path they ask and in the type URLs they can read:
 * who asked under other names than the active profile's reads its answer in those.
 */
function inWordsOf(
  { identity }: GatewayNode,
  asked: string,
  neutral: string,
  schema: DescMessage,
  response: Message,
): Message {
  if (asked === identity.toProfileName(neutral)) return response
  const { toNeutralName } = identity
  return renameTypeUrls(registry, schema, response, toNeutralName, (name) => {
    const own = toNeutralName(name)
    return asked === neutral ? own : cosmjs.toProfileName(own)
  })
}

/** Consensus parameters at a committed height, in the engine's JSON. Throws what the query throws. */
export async function consensusParams(node: GatewayNode, height: bigint): Promise<Json> {
  const request = create(QueryParamsRequestSchema)
  const answer = await node.dispatch({ method: '/sdk.consensus.v1.Query/Params', request, height })
  if (!answer.ok) throw answer.error
  const { params } = answer.response as QueryParamsResponse
  const maxAge = params?.evidence?.maxAgeDuration
  return {
    block: {
      max_bytes: (params?.block?.maxBytes ?? 0n).toString(),
      max_gas: (params?.block?.maxGas ?? 0n).toString(),
    },
    evidence: {
      max_age_num_blocks: (params?.evidence?.maxAgeNumBlocks ?? 0n).toString(),
      max_age_duration: (maxAge ? fromTimestamp(maxAge) : 0n).toString(),
      max_bytes: (params?.evidence?.maxBytes ?? 0n).toString(),
    },
    validator: { pub_key_types: params?.validator?.pubKeyTypes ?? [] },
    version: { app: (params?.version?.app ?? 0n).toString() },
    abci: { vote_extensions_enable_height: (params?.abci?.voteExtensionsEnableHeight ?? 0n).toString() },
  }
}

/** The parameters that a block left behind, if it changed them; null too where the state before it is not kept. */
export async function consensusParamUpdates(node: GatewayNode, height: bigint): Promise<Json | null> {
  if (height <= node.blocks.earliestHeight()) return null
  try {
    const [before, after] = await Promise.all([consensusParams(node, height - 1n), consensusParams(node, height)])
    return JSON.stringify(before) === JSON.stringify(after) ? null : after
  } catch (error) {
    if (error instanceof ChainError) return null
    throw error
  }
}
