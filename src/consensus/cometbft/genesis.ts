/** The genesis document of InitChain. */
import { formatConsensusParams } from '../../app/genesis-params.ts'
import type { GenesisDocument } from '../../app/types.ts'
import type { RequestInitChain } from '../../gen/tendermint/abci/types_pb.ts'
import { formatUtf8 } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import { parseJsonText } from '../../primitives/json-text.ts'
import { formatRfc3339Nano, fromTimestamp } from '../../primitives/time.ts'

/** Returns the document that an engine begins a chain with. Throws `invalidArgument` if its state is no JSON object. */
export function genesisOf(request: RequestInitChain): GenesisDocument {
  const state = parseJsonText(formatUtf8(request.appStateBytes), 'InitChain: app_state')
  if (typeof state !== 'object' || state === null || Array.isArray(state)) {
    throw queryError('invalidArgument', 'InitChain: app_state must be an object')
  }
  return {
    chain_id: request.chainId,
    genesis_time: formatRfc3339Nano(fromTimestamp(request.time ?? { seconds: 0n, nanos: 0 })),
    initial_height: (request.initialHeight || 1n).toString(),
    consensus_params: request.consensusParams ? formatConsensusParams(request.consensusParams) : {},
    app_hash: '',
    app_state: state as Record<string, unknown>,
  }
}
