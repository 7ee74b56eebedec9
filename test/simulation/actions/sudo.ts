/** Edits of the root account: sudoers and inflation. */
import { MsgEditInflationParamsSchema, MsgToggleInflationSchema } from '../../../src/gen/chain/inflation/v1/tx_pb.ts'
import { MsgEditSudoersSchema, MsgEditZeroGasActorsSchema } from '../../../src/gen/chain/sudo/v1/tx_pb.ts'
import { formatEip55 } from '../../../src/primitives/address.ts'
import { actors } from '../actors.ts'
import { contractsOf, spelled } from '../world.ts'
import { type ActionKind, send } from './action.ts'

const root = actors[0]!

export const sudoActions: readonly ActionKind[] = [
  {
    name: 'sudo.editSudoers',
    weight: 0.6,
    wish: (_world, dice, by) =>
      send(dice.chance(20) ? by : root, MsgEditSudoersSchema, {
        action: dice.chance(40) ? 'remove_contracts' : 'add_contracts',
        contracts: [spelled(dice, dice.pick(actors).text)],
        sender: dice.chance(20) ? by.text : root.text,
      }),
  },
  {
    name: 'sudo.editZeroGasActors',
    weight: 0.4,
    wish(world, dice) {
      const contracts = contractsOf(world)
      return send(root, MsgEditZeroGasActorsSchema, {
        sender: root.text,
        actors: {
          senders: dice.chance(50) ? [dice.pick(actors).text] : [],
          contracts: contracts.length > 0 && dice.chance(50) ? [formatEip55(dice.pick(contracts))] : [],
        },
      })
    },
  },
  {
    name: 'inflation.toggle',
    weight: 0.4,
    wish: (_world, dice) => send(root, MsgToggleInflationSchema, { sender: root.text, enable: dice.chance(75) }),
  },
  {
    name: 'inflation.edit',
    weight: 0.4,
    wish: (_world, dice) => {
      const staking = BigInt(1 + dice.below(8)) * 10n ** 17n
      return send(root, MsgEditInflationParamsSchema, {
        sender: root.text,
        inflationDistribution: {
          stakingRewards: staking.toString(),
          communityPool: (9n * 10n ** 17n - staking).toString(),
          strategicReserves: (10n ** 17n).toString(),
        },
        epochsPerPeriod: String(2 + dice.below(30)),
      })
    },
  },
]
