/** Transfers of coins. */
import { MsgMultiSendSchema, MsgSendSchema } from '../../../src/gen/sdk/bank/v1beta1/tx_pb.ts'
import { actors } from '../actors.ts'
import { coin, NATIVE, ONE } from '../messages.ts'
import { accountText, anyAddress, anyDenom, spelled } from '../world.ts'
import { type ActionKind, send } from './action.ts'

export const bankActions: readonly ActionKind[] = [
  {
    name: 'bank.send',
    weight: 10,
    wish: (world, dice, by) =>
      send(by, MsgSendSchema, {
        fromAddress: spelled(dice, by.text),
        toAddress: spelled(dice, accountText(anyAddress(world, dice))),
        amount: [coin(dice.amount(1000n * ONE), anyDenom(world, dice))],
      }),
  },
  {
    name: 'bank.send all that is free',
    weight: 1,
    wish: (_world, dice, by) =>
      send(by, MsgSendSchema, {
        fromAddress: by.text,
        toAddress: dice.pick(actors).text,
        amount: [coin(dice.pick([4n, 5n, 50n]) * 10n ** 12n - 15_000n)],
      }),
  },
  {
    name: 'bank.multiSend',
    weight: 3,
    wish(world, dice, by) {
      const denom = dice.chance(30) ? anyDenom(world, dice) : NATIVE
      const parts = Array.from({ length: 1 + dice.below(3) }, () => dice.amount(100n * ONE))
      return send(by, MsgMultiSendSchema, {
        inputs: [
          {
            address: by.text,
            coins: [
              coin(
                parts.reduce((sum, part) => sum + part, 0n),
                denom,
              ),
            ],
          },
        ],
        outputs: parts.map((part) => ({
          address: accountText(anyAddress(world, dice)),
          coins: [coin(part, denom)],
        })),
      })
    },
  },
]
