/** Collections of store `inflation` (inflation.md §1). */
import { type Params, ParamsSchema } from '../../gen/chain/inflation/v1/inflation_pb.ts'
import { moduleAccount } from '../../sdk/module-account.ts'
import { protoValue, uint64Value } from '../../store/collections/codecs.ts'
import { item } from '../../store/collections/collections.ts'

const STORE = 'inflation'

/** Mints, and passes on what it minted within the same epoch. */
export const account = moduleAccount('inflation', 'minter', 'burner')

/** Counts from 0. */
export const period = item<bigint>(STORE, 0x00, uint64Value)
/** Epochs of the day in which nothing was minted. */
export const skippedEpochs = item<bigint>(STORE, 0x01, uint64Value)
export const params = item<Params>(STORE, 0x02, protoValue(ParamsSchema))
