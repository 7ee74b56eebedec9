/** The methods of the CometBFT RPC about rounds, evidence and peers, which the engine answers if there is one. */
import { queryError } from '../../primitives/errors.ts'
import { type CometMethod, consensusMethod, poolMethod } from './method.ts'
import { roundState, wholeRoundState } from './round-state.ts'

/** Refuses a question about peers on a node that decides its blocks itself. */
function refusePeers(): never {
  throw queryError('failedPrecondition', 'this node decides its blocks itself (consensus solo) and has no peers')
}

export const consensusMethods: Readonly<Record<string, CometMethod>> = {
  consensus_state: consensusMethod({}, ({ node }) => roundState(node)),

  dump_consensus_state: consensusMethod({}, ({ node }) => wholeRoundState(node)),

  broadcast_evidence: consensusMethod({ evidence: 'json' }, (_, { evidence }) => {
    if (!evidence) throw queryError('invalidArgument', 'no evidence was provided')
    throw queryError(
      'failedPrecondition',
      'this node decides its blocks itself (consensus solo), each with one signature of each validator: it takes no evidence',
    )
  }),

  dial_seeds: { ...consensusMethod({ seeds: 'texts' }, refusePeers), isUnsafe: true },

  dial_peers: {
    ...consensusMethod({ peers: 'texts', persistent: 'bool', unconditional: 'bool', private: 'bool' }, refusePeers),
    isUnsafe: true,
  },

  unsafe_flush_mempool: {
    ...poolMethod({}, async ({ node, nodeInfo }) => {
      await nodeInfo.engine?.call('unsafe_flush_mempool', {})
      node.driver.pool?.flush()
      return {}
    }),
    isUnsafe: true,
  },
}
