/** Genesis of the sudoers. An empty root is valid. */
import { create } from '@bufbuild/protobuf'
import { GenesisStateSchema, SudoersSchema } from '../../gen/chain/sudo/v1/state_pb.ts'
import { fromJson, toJson } from '../../sdk/json.ts'
import type { GenesisHandlers } from '../../sdk/module.ts'
import * as sudo from './keeper.ts'
import * as state from './state.ts'

export const genesis: GenesisHandlers = {
  defaults: (ctx) => toJson(ctx, GenesisStateSchema, create(GenesisStateSchema, { sudoers: {} })),
  init(ctx, json) {
    const { sudoers = create(SudoersSchema), zeroGasActors } = fromJson(ctx, GenesisStateSchema, json, 'sudo')
    sudo.setSudoers(ctx, sudoers)
    if (zeroGasActors) sudo.setZeroGasActors(ctx, zeroGasActors)
  },
  export(ctx) {
    const zeroGasActors = state.zeroGasActors.get(ctx)
    const genesisState = create(GenesisStateSchema, { sudoers: sudo.sudoers(ctx) })
    if (zeroGasActors) genesisState.zeroGasActors = zeroGasActors
    return toJson(ctx, GenesisStateSchema, genesisState)
  },
}
