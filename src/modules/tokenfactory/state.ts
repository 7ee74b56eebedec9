/** Collections of store `tokenfactory` (docs/modules/tokenfactory.md#state). */
import {
  type DenomAuthorityMetadata,
  DenomAuthorityMetadataSchema,
  type ModuleParams,
  ModuleParamsSchema,
  type TFDenom,
  TFDenomSchema,
} from '../../gen/chain/tokenfactory/v1/state_pb.ts'
import { moduleAccount } from '../../sdk/module-account.ts'
import { protoValue } from '../../store/collections/codecs.ts'
import { item, keySet, map } from '../../store/collections/collections.ts'
import { pairKey, stringKey } from '../../store/collections/key-codecs.ts'

const STORE = 'tokenfactory'

/** The account that mints and burns. Coins pass through it within one message. */
export const account = moduleAccount('tokenfactory', 'minter', 'burner')

export const denoms = map<string, TFDenom>(STORE, 0x01, stringKey, protoValue(TFDenomSchema))
/** Bech32 texts of all creators. */
export const creators = keySet(STORE, 0x02, stringKey)
export const params = item<ModuleParams>(STORE, 0x03, protoValue(ModuleParamsSchema))
/** Denom → its admin. An empty admin is permanent. */
export const admins = map<string, DenomAuthorityMetadata>(
  STORE,
  0x04,
  stringKey,
  protoValue(DenomAuthorityMetadataSchema),
)
/** Index (creator, denom). */
export const denomsByCreator = keySet(STORE, 0x05, pairKey(stringKey, stringKey))
