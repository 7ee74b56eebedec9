/** Store `upgrade` (upgrade.md §2, state-layout.md §2.9). */
import { type Plan, PlanSchema } from '../../gen/sdk/upgrade/v1beta1/upgrade_pb.ts'
import { bytesValue, protoValue, uint64Value } from '../../store/collections/codecs.ts'
import { bareItem, map } from '../../store/collections/collections.ts'
import { bareStringKey, pairKey, uint64Key } from '../../store/collections/key-codecs.ts'

const STORE = 'upgrade'
const DONE = 0x01

/** The scheduled plan; absent is none. */
export const plan = bareItem<Plan>(STORE, 0x00, protoValue(PlanSchema))

/** Names of finished upgrades to the heights of the blocks that ran them: the API document's layout. */
export const doneByName = map(STORE, DONE, bareStringKey, uint64Value)

/** The reference's layout under the same namespace (behaviour `doneMarkersByHeight`); the value is `DONE_MARK`. */
export const doneByHeight = map(STORE, DONE, pairKey(uint64Key, bareStringKey), bytesValue)
export const DONE_MARK: Uint8Array = Uint8Array.of(1)

/** Consensus versions by module name. */
export const moduleVersions = map(STORE, 0x02, bareStringKey, uint64Value)

/** How many upgrades have been applied. */
export const protocolVersion = bareItem(STORE, 0x03, uint64Value)

/** What an inter-chain light client is to go on from after the plan of a height. */
export const upgradedClient = (height: bigint) =>
  bareItem(STORE, `upgradedIBCState/${height}/upgradedClient`, bytesValue)
export const upgradedConsensusState = (height: bigint) =>
  bareItem(STORE, `upgradedIBCState/${height}/upgradedConsState`, bytesValue)
