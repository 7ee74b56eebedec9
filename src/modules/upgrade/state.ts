/** Collections of store `upgrade` (docs/modules/upgrade.md#state). */
import { type Plan, PlanSchema } from '../../gen/sdk/upgrade/v1beta1/upgrade_pb.ts'
import { bytesValue, protoValue, uint64Value } from '../../store/collections/codecs.ts'
import { bareItem, map } from '../../store/collections/collections.ts'
import { bareStringKey, pairKey, uint64Key } from '../../store/collections/key-codecs.ts'

const STORE = 'upgrade'
const DONE = 0x01

/** The scheduled plan, absent without one. */
export const plan = bareItem<Plan>(STORE, 0x00, protoValue(PlanSchema))

/** Name of an applied upgrade → height of the block that ran it: the layout of the API document. */
export const doneByName = map(STORE, DONE, bareStringKey, uint64Value)

/** (Height, name) of an applied upgrade → `DONE_MARK`: the layout of the reference, behaviour `doneMarkersByHeight`. */
export const doneByHeight = map(STORE, DONE, pairKey(uint64Key, bareStringKey), bytesValue)
export const DONE_MARK: Uint8Array = Uint8Array.of(1)

/** Module name → consensus version. */
export const moduleVersions = map(STORE, 0x02, bareStringKey, uint64Value)

/** Number of applied upgrades. */
export const protocolVersion = bareItem(STORE, 0x03, uint64Value)

/** State that light clients of other chains continue from after the plan at a height. */
export const upgradedClient = (height: bigint) =>
  bareItem(STORE, `upgradedIBCState/${height}/upgradedClient`, bytesValue)
export const upgradedConsensusState = (height: bigint) =>
  bareItem(STORE, `upgradedIBCState/${height}/upgradedConsState`, bytesValue)
