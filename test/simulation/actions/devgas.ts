/** Shares of gas fees for the developers of contracts. */
import {
  MsgCancelFeeShareSchema,
  MsgRegisterFeeShareSchema,
  MsgUpdateFeeShareSchema,
} from '../../../src/gen/chain/devgas/v1/tx_pb.ts'
import * as state from '../../../src/modules/devgas/state.ts'
import * as evmState from '../../../src/modules/evm/state.ts'
import { actors } from '../actors.ts'
import { accountText, anyAddress, spelled } from '../world.ts'
import { type ActionKind, send } from './action.ts'

export const devgasActions: readonly ActionKind[] = [
  {
    name: 'devgas.register',
    weight: 3,
    wish(world, dice, by) {
      const made = world.once('creations', () => [...evmState.creations.iterate(world.ctx)])
      if (made.length === 0) return undefined
      const [contract, { creator }] = dice.pick(made)
      const signer = actors.find(({ address }) => Buffer.compare(address, creator) === 0) ?? by
      return send(signer, MsgRegisterFeeShareSchema, {
        contractAddress: accountText(contract),
        deployerAddress: spelled(dice, signer.text),
        withdrawerAddress: dice.chance(30) ? '' : spelled(dice, accountText(anyAddress(world, dice))),
      })
    },
  },
  {
    name: 'devgas.update',
    weight: 1.5,
    wish(world, dice, by) {
      const shares = world.once('shares', () => [...state.feeShares.iterate(world.ctx)])
      if (shares.length === 0) return undefined
      const [, { contractAddress, deployerAddress }] = dice.pick(shares)
      const signer = actors.find(({ text }) => text === deployerAddress) ?? by
      const withdrawerAddress = accountText(anyAddress(world, dice))
      return send(signer, MsgUpdateFeeShareSchema, { contractAddress, deployerAddress: signer.text, withdrawerAddress })
    },
  },
  {
    name: 'devgas.cancel',
    weight: 0.7,
    wish(world, dice, by) {
      const shares = world.once('shares', () => [...state.feeShares.iterate(world.ctx)])
      if (shares.length === 0) return undefined
      const [, { contractAddress, deployerAddress }] = dice.pick(shares)
      const signer = actors.find(({ text }) => text === deployerAddress) ?? by
      return send(signer, MsgCancelFeeShareSchema, { contractAddress, deployerAddress: signer.text })
    },
  },
]
