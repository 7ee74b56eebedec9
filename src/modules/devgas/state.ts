/** Collections of store `devgas` (docs/modules/devgas.md#state). */
import { type ModuleParams, ModuleParamsSchema } from '../../gen/chain/devgas/v1/devgas_pb.ts'
import { cacheLast, cacheRecent, protoValue, textsValue } from '../../store/collections/codecs.ts'
import { item, keySet, map } from '../../store/collections/collections.ts'
import { accountTextKey, pairKey } from '../../store/collections/key-codecs.ts'

const STORE = 'devgas'

/** Records by contract. Only `keeper.ts` writes here, since it maintains the indexes. */
export const feeShares = map(
  STORE,
  0x01,
  accountTextKey,
  cacheRecent(textsValue('contractAddress', 'deployerAddress', 'withdrawerAddress'), 2048),
)
/** Indexes (deployer, contract) and (withdrawer, contract). Lists are in the order of the contract texts. */
export const byDeployer = keySet(STORE, 0x02, pairKey(accountTextKey, accountTextKey))
export const byWithdrawer = keySet(STORE, 0x03, pairKey(accountTextKey, accountTextKey))
export const params = item<ModuleParams>(STORE, 0x04, cacheLast(protoValue(ModuleParamsSchema)))
