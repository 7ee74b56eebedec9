/** Collections of store `inflation` (docs/modules/inflation.md#state). */
import { type Params, ParamsSchema } from '../../gen/chain/inflation/v1/inflation_pb.ts'
import { moduleAccount } from '../../sdk/module-account.ts'
import { cacheLast, protoValue, uint64Value } from '../../store/collections/codecs.ts'
import { item } from '../../store/collections/collections.ts'

const STORE = 'inflation'

/** The account that mints. It passes on the coins within the same epoch. */
export const account = moduleAccount('inflation', 'minter', 'burner')

/** Number of the current period, counted from 0. */
export const period = item<bigint>(STORE, 0x00, uint64Value)
/** Number of `day` epochs in which nothing was minted. */
export const skippedEpochs = item<bigint>(STORE, 0x01, uint64Value)
export const params = item<Params>(STORE, 0x02, cacheLast(protoValue(ParamsSchema)))
