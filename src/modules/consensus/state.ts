/** The only entry of store `consensus` (docs/modules/consensus.md#state). */
import { type ConsensusParams, ConsensusParamsSchema } from '../../gen/tendermint/types/params_pb.ts'
import { cacheLast, protoValue } from '../../store/collections/codecs.ts'
import { bareItem } from '../../store/collections/collections.ts'

export const params = bareItem<ConsensusParams>('consensus', 'Consensus', cacheLast(protoValue(ConsensusParamsSchema)))
