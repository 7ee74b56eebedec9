/** The method `abci_query`, and the consensus parameters, in the JSON of CometBFT. */
import { create } from '@bufbuild/protobuf'
import { base64OrNull } from '../../consensus/comet/block-json.ts'
import { QueryParamsRequestSchema, type QueryParamsResponse } from '../../gen/sdk/consensus/v1/query_pb.ts'
import { formatBase64 } from '../../primitives/bytes.ts'
import { ChainError } from '../../primitives/errors.ts'
import { fromTimestamp } from '../../primitives/time.ts'
import { type AbciQuery, answerAbciQuery } from '../abci-query.ts'
import type { GatewayNode } from '../gateway.ts'
import type { NodeEnvironment } from '../node-info.ts'
import type { Json } from './method.ts'

/** Runs the method `abci_query`. A failed query is a result with a code, not an error of the RPC. */
export async function abciQuery(environment: NodeEnvironment, query: AbciQuery): Promise<Json> {
  const answer = await answerAbciQuery(environment, query)
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

/** Returns the consensus parameters at a committed height, in CometBFT's JSON. Throws the errors of the query. */
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

/** Returns the consensus parameters after a block that changed them; null otherwise, or if the state before it is pruned. */
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
