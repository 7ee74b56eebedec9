/** Coins of the token factory. */
import {
  MsgBurnNativeSchema,
  MsgBurnSchema,
  MsgChangeAdminSchema,
  MsgCreateDenomSchema,
  MsgMintSchema,
  MsgSetDenomMetadataSchema,
} from '../../../src/gen/chain/tokenfactory/v1/tx_pb.ts'
import * as state from '../../../src/modules/tokenfactory/state.ts'
import { type Actor, actors } from '../actors.ts'
import type { Dice } from '../dice.ts'
import { coin, ONE } from '../messages.ts'
import { accountText, anyAddress, factoryDenom, spelled, type World } from '../world.ts'
import { type ActionKind, send } from './action.ts'

/** Returns a factory denom and, most of the time, its admin. */
export function owned(world: World, dice: Dice, by: Actor): { readonly denom: string; readonly admin: Actor } {
  const known = world.once('admins', () =>
    [...state.admins.iterate(world.ctx)].flatMap(([denom, { admin }]) => {
      const found = actors.find(({ text }) => text === admin)
      return found ? [{ denom, admin: found }] : []
    }),
  )
  if (known.length === 0) return { denom: factoryDenom(by, 0), admin: by }
  const found = dice.pick(known)
  return dice.chance(10) ? { denom: found.denom, admin: by } : found
}

export const tokenfactoryActions: readonly ActionKind[] = [
  {
    name: 'tokenfactory.createDenom',
    weight: 1.5,
    wish: (_world, dice, by) =>
      send(by, MsgCreateDenomSchema, { sender: by.text, subdenom: `coin${dice.below(3)}` }, { gas: 11_000_000n }),
  },
  {
    name: 'tokenfactory.mint',
    weight: 5,
    wish(world, dice, by) {
      const { denom, admin } = owned(world, dice, by)
      const mintTo = dice.chance(30) ? '' : spelled(dice, accountText(anyAddress(world, dice)))
      return send(admin, MsgMintSchema, { sender: admin.text, coin: coin(dice.amount(1000n * ONE), denom), mintTo })
    },
  },
  {
    name: 'tokenfactory.burn',
    weight: 2,
    wish(world, dice, by) {
      const { denom, admin } = owned(world, dice, by)
      const burnFrom = dice.chance(30) ? '' : spelled(dice, accountText(anyAddress(world, dice)))
      return send(admin, MsgBurnSchema, { sender: admin.text, coin: coin(dice.amount(10n * ONE), denom), burnFrom })
    },
  },
  {
    name: 'tokenfactory.changeAdmin',
    weight: 0.7,
    wish(world, dice, by) {
      const { denom, admin } = owned(world, dice, by)
      const newAdmin = dice.chance(5) ? '' : spelled(dice, dice.pick(actors).text)
      return send(admin, MsgChangeAdminSchema, { sender: admin.text, denom, newAdmin })
    },
  },
  {
    name: 'tokenfactory.setMetadata',
    weight: 1,
    wish(world, dice, by) {
      const { denom, admin } = owned(world, dice, by)
      const metadata = {
        ...{ description: 'a coin', name: 'Coin', symbol: 'COIN', base: denom, display: 'coin' },
        denomUnits: [{ denom }, { denom: 'coin', exponent: 1 + dice.below(18) }],
      }
      return send(admin, MsgSetDenomMetadataSchema, { sender: admin.text, metadata })
    },
  },
  {
    name: 'tokenfactory.burnNative',
    weight: 1,
    wish: (_world, dice, by) => send(by, MsgBurnNativeSchema, { sender: by.text, coin: coin(dice.amount(ONE)) }),
  },
]
