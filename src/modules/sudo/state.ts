/** Collections of store `sudo` (docs/modules/sudo.md#state). */
import {
  type Sudoers,
  SudoersSchema,
  type ZeroGasActors,
  ZeroGasActorsSchema,
} from '../../gen/chain/sudo/v1/state_pb.ts'
import { moduleAccount } from '../../sdk/module-account.ts'
import { protoValue } from '../../store/collections/codecs.ts'
import { item } from '../../store/collections/collections.ts'

const STORE = 'sudo'

/** The root, and the contracts with its permissions, sorted. */
export const sudoers = item<Sudoers>(STORE, 0x01, protoValue(SudoersSchema))
export const zeroGasActors = item<ZeroGasActors>(STORE, 0x02, protoValue(ZeroGasActorsSchema))

export const account = moduleAccount('sudo')
