/** The one entry of store `consensus` (state-layout.md §2.11). */
import { type ConsensusParams, ConsensusParamsSchema } from '../../gen/tendermint/types/params_pb.ts'
import { protoValue } from '../../store/collections/codecs.ts'
import { bareItem } from '../../store/collections/collections.ts'

export const params = bareItem<ConsensusParams>('consensus', 'Consensus', protoValue(ConsensusParamsSchema))
