/** Mappings between coins and ERC-20 contracts, and conversions in both directions. */
import {
  MsgConvertCoinToEvmSchema,
  MsgConvertEvmToCoinSchema,
  MsgCreateFunTokenSchema,
} from '../../../src/gen/chain/evm/v1/tx_pb.ts'
import { formatEip55 } from '../../../src/primitives/address.ts'
import { coin, ONE } from '../messages.ts'
import { accountText, anyAddress, anyDenom, anyToken, spelled } from '../world.ts'
import { type ActionKind, send } from './action.ts'
import { owned } from './tokenfactory.ts'

const GAS = { gas: 4_000_000n }

export const funtokenActions: readonly ActionKind[] = [
  {
    name: 'funtoken.createFromCoin',
    weight: 1,
    wish(world, dice, by) {
      const { denom, admin } = owned(world, dice, by)
      return send(
        admin,
        MsgCreateFunTokenSchema,
        { sender: admin.text, fromBankDenom: denom, allowZeroDecimals: true },
        GAS,
      )
    },
  },
  {
    name: 'funtoken.createFromErc20',
    weight: 1.5,
    wish(world, dice, by) {
      const fromErc20 = world.tokens.length > 0 ? dice.pick(world.tokens).address : anyAddress(world, dice)
      return send(by, MsgCreateFunTokenSchema, { sender: by.text, fromErc20, allowZeroDecimals: dice.chance(80) }, GAS)
    },
  },
  {
    name: 'funtoken.coinToEvm',
    weight: 6,
    wish: (world, dice, by) =>
      send(
        by,
        MsgConvertCoinToEvmSchema,
        {
          sender: by.text,
          toEthAddr: anyAddress(world, dice),
          bankCoin: coin(dice.amount(50n * ONE), anyDenom(world, dice)),
        },
        GAS,
      ),
  },
  {
    name: 'funtoken.evmToCoin',
    weight: 5,
    wish(world, dice, by) {
      const to = anyAddress(world, dice)
      return send(
        by,
        MsgConvertEvmToCoinSchema,
        {
          sender: by.text,
          erc20Addr: anyToken(world, dice),
          amount: dice.amount(ONE).toString(),
          toAddr: dice.chance(50) ? formatEip55(to) : spelled(dice, accountText(to)),
        },
        GAS,
      )
    },
  },
]
