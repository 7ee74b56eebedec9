/** Headers of a node with the signatures of their blocks, from its RPC. */
import { queryError } from '../../../primitives/errors.ts'
import type { HeaderSource } from '../light/trust.ts'
import type { BlockSource } from '../source.ts'
import { commitOf, headerOf } from './header-of-json.ts'
import type { NodeRpc } from './node-rpc.ts'

/** Creates the source; `headers` takes at most ten heights, as many calls as engines take in a batch. */
export function createNodeHeaders(rpc: NodeRpc, blocks: Pick<BlockSource, 'validators'>): HeaderSource {
  return {
    validators: blocks.validators,
    async headers(heights, signal) {
      const calls = heights.map((height) => ({ method: 'commit', params: { height: height.toString() } }))
      const outcomes = await rpc.batch(calls, signal)
      return outcomes.map((outcome, i) => {
        const height = heights[i]!
        if ('refused' in outcome)
          throw queryError('notFound', `the node does not give the header of block ${height}: ${outcome.refused}`)
        const signed = (outcome.result['signed_header'] ?? {}) as {
          readonly header?: unknown
          readonly commit?: unknown
        }
        const header = headerOf(signed.header)
        if (header.height !== height)
          throw queryError('dataLoss', `the node answers header ${header.height} for header ${height}`)
        return { header, commit: signed.commit === undefined ? undefined : commitOf(signed.commit) }
      })
    },
  }
}
