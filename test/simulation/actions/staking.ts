/** Validators that come and go, and stakes that move between them. */

import { PubKeySchema } from '../../../src/gen/sdk/crypto/ed25519/keys_pb.ts'
import { MsgUnjailSchema } from '../../../src/gen/sdk/slashing/v1beta1/tx_pb.ts'
import {
  MsgBeginRedelegateSchema,
  MsgCancelUnbondingDelegationSchema,
  MsgCreateValidatorSchema,
  MsgDelegateSchema,
  MsgEditValidatorSchema,
  MsgUndelegateSchema,
} from '../../../src/gen/sdk/staking/v1beta1/tx_pb.ts'
import * as state from '../../../src/modules/staking/state.ts'
import { type Actor, actors, consensusKeys } from '../actors.ts'
import type { Dice } from '../dice.ts'
import { coin, ONE, pack } from '../messages.ts'
import { anyOperator, operatorText, spelled, validatorsOf, type World } from '../world.ts'
import { type ActionKind, send } from './action.ts'

const PERCENT = 10n ** 16n
const raw = (percent: number): string => (BigInt(percent) * PERCENT).toString()

interface Stake {
  readonly owner: Actor
  readonly operator: Uint8Array
  readonly amount: bigint
}

/** Returns delegations of actors. */
export const stakesOf = (world: World): readonly Stake[] =>
  world.once('stakes', () =>
    [...state.delegations.iterate(world.ctx)].flatMap(([[delegator, operator], { shares }]) => {
      const owner = actors.find(({ address }) => Buffer.compare(address, delegator) === 0)
      return owner ? [{ owner, operator, amount: BigInt(shares) / 10n ** 18n }] : []
    }),
  )

/** Returns a part of a delegation, or sometimes a delegation that does not exist. */
function stakeOf(world: World, dice: Dice, by: Actor): Stake {
  const held = stakesOf(world)
  if (held.length === 0 || dice.chance(5)) {
    return { owner: by, operator: anyOperator(world, dice), amount: dice.amount(ONE) }
  }
  const found = dice.pick(held)
  return { ...found, amount: dice.chance(25) ? found.amount : dice.amount(found.amount > 0n ? found.amount : 1n) }
}

/** Returns the actor, or most of the time one that operates a validator. */
export const operatorAmong = (world: World, dice: Dice, by: Actor): Actor => {
  const list = world.once('operating actors', () => {
    const all = new Set(validatorsOf(world).map(operatorText))
    return actors.filter(({ operator }) => all.has(operator))
  })
  return list.length === 0 || dice.chance(5) ? by : dice.pick(list)
}

export const stakingActions: readonly ActionKind[] = [
  {
    name: 'staking.createValidator',
    weight: 1.5,
    wish: (_world, dice, by) =>
      send(by, MsgCreateValidatorSchema, {
        description: { moniker: by.name },
        commission: { rate: raw(4 + dice.below(12)), maxRate: raw(20), maxChangeRate: raw(1) },
        minSelfDelegation: dice.chance(80) ? '1' : '1000000',
        delegatorAddress: by.text,
        validatorAddress: spelled(dice, by.operator),
        pubkey: pack(PubKeySchema, { key: dice.pick(consensusKeys) }),
        value: coin(dice.amount(1500n * ONE)),
      }),
  },
  {
    name: 'staking.editValidator',
    weight: 0.7,
    wish(world, dice, by) {
      const signer = operatorAmong(world, dice, by)
      const keep = '[do-not-modify]'
      return send(signer, MsgEditValidatorSchema, {
        description: { moniker: 'another', identity: keep, website: keep, securityContact: keep, details: keep },
        validatorAddress: spelled(dice, signer.operator),
        ...(dice.chance(50) && { commissionRate: raw(dice.below(25)) }),
        ...(dice.chance(30) && { minSelfDelegation: dice.amount(1200n * ONE).toString() }),
      })
    },
  },
  {
    name: 'staking.delegate',
    weight: 6,
    wish: (world, dice, by) =>
      send(by, MsgDelegateSchema, {
        delegatorAddress: spelled(dice, by.text),
        validatorAddress: spelled(dice, operatorText(anyOperator(world, dice))),
        amount: coin(dice.chance(6) ? 2n * 10n ** 12n : dice.amount(500n * ONE)),
      }),
  },
  {
    name: 'staking.undelegate',
    weight: 4,
    wish(world, dice, by) {
      const { owner, operator, amount } = stakeOf(world, dice, by)
      const validatorAddress = spelled(dice, operatorText(operator))
      return send(owner, MsgUndelegateSchema, { delegatorAddress: owner.text, validatorAddress, amount: coin(amount) })
    },
  },
  {
    name: 'staking.redelegate',
    weight: 4,
    wish(world, dice, by) {
      const { owner, operator, amount } = stakeOf(world, dice, by)
      return send(owner, MsgBeginRedelegateSchema, {
        delegatorAddress: owner.text,
        validatorSrcAddress: operatorText(operator),
        validatorDstAddress: spelled(dice, operatorText(anyOperator(world, dice))),
        amount: coin(amount),
      })
    },
  },
  {
    name: 'staking.cancelUnbonding',
    weight: 2,
    wish(world, dice, by) {
      const mine = [...state.unbondings.iterate(world.ctx, { prefix: by.address })]
      const all = mine.length > 0 ? mine : world.once('unbondings', () => [...state.unbondings.iterate(world.ctx)])
      if (all.length === 0) return undefined
      const [[delegator, operator], { entries }] = dice.pick(all)
      const entry = dice.pick(entries)
      const signer = actors.find(({ address }) => Buffer.compare(address, delegator) === 0)
      if (!signer) return undefined
      return send(signer, MsgCancelUnbondingDelegationSchema, {
        delegatorAddress: signer.text,
        validatorAddress: operatorText(operator),
        amount: coin(dice.chance(40) ? BigInt(entry.balance) : dice.amount(BigInt(entry.balance))),
        creationHeight: entry.creationHeight,
      })
    },
  },
  {
    name: 'slashing.unjail',
    weight: 3,
    wish(world, dice, by) {
      const jailed = world.once('jailed', () =>
        [...state.validators.iterate(world.ctx)].flatMap(([operator, { jailed }]) =>
          jailed ? [operatorText(operator)] : [],
        ),
      )
      const owners = actors.filter(({ operator }) => jailed.includes(operator))
      const signer = owners.length > 0 ? dice.pick(owners) : by
      return send(signer, MsgUnjailSchema, { validatorAddr: spelled(dice, signer.operator) })
    },
  },
]
