/** Collections of store `devgas` (state-layout.md §2.7). */
import { type ModuleParams, ModuleParamsSchema } from '../../gen/chain/devgas/v1/devgas_pb.ts'
import { protoValue, recalled, remembered, textsValue } from '../../store/collections/codecs.ts'
import { item, keySet, map } from '../../store/collections/collections.ts'
import { accountTextKey, pairKey } from '../../store/collections/key-codecs.ts'

const STORE = 'devgas'

/** By contract. Whoever writes here keeps the two indexes: `keeper.ts` alone does. */
export const feeShares = map(
  STORE,
  0x01,
  accountTextKey,
  recalled(textsValue('contractAddress', 'deployerAddress', 'withdrawerAddress'), 2048),
)
/** Deployer and contract, withdrawer and contract: the order of a list is that of the contracts' texts. */
export const byDeployer = keySet(STORE, 0x02, pairKey(accountTextKey, accountTextKey))
export const byWithdrawer = keySet(STORE, 0x03, pairKey(accountTextKey, accountTextKey))
export const params = item<ModuleParams>(STORE, 0x04, remembered(protoValue(ModuleParamsSchema)))
