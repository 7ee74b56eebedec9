/** The only entry of store `consensus` (docs/modules/consensus.md#state). */
import { type ConsensusParams, ConsensusParamsSchema } from '../../gen/tendermint/types/params_pb.ts'
import { protoValue } from '../../store/collections/codecs.ts'
import { bareItem } from '../../store/collections/collections.ts'

export const params = bareItem<ConsensusParams>('consensus', 'Consensus', protoValue(ConsensusParamsSchema))
