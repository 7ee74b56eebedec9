/** Prices: prevotes, reveals, feeders, and a whitelist that changes. */
import {
  MsgAggregateExchangeRatePrevoteSchema,
  MsgAggregateExchangeRateVoteSchema,
  MsgDelegateFeedConsentSchema,
  MsgEditOracleParamsSchema,
} from '../../../src/gen/chain/oracle/v1beta1/tx_pb.ts'
import * as state from '../../../src/modules/oracle/state.ts'
import { voteHash } from '../../../src/modules/oracle/vote-text.ts'
import { type Actor, actors } from '../actors.ts'
import type { Dice } from '../dice.ts'
import { operatorText, spelled, type World } from '../world.ts'
import { type ActionKind, send } from './action.ts'
import { operatorAmong } from './staking.ts'

const SALT = 'salt'
const RATES = [
  '(ubtc:uusd,64000.5)|(ueth:uusd,3100)',
  '(ubtc:uusd,64001)|(ueth:uusd,0)',
  '(ubtc:uusd,70000)',
  '(ubtc:uusd,0)|(ueth:uusd,0)',
]

const addressOf = (actor: Actor) => actor.address
const ownerOf = (address: Uint8Array | undefined): Actor | undefined =>
  actors.find((actor) => address && Buffer.compare(addressOf(actor), address) === 0)

/** Returns an operator with the account that votes for it. */
function voterOf(world: World, dice: Dice, by: Actor): { readonly operator: Actor; readonly feeder: Actor } {
  const operator = operatorAmong(world, dice, by)
  const feeder = ownerOf(state.feeders.get(world.ctx, operator.address)) ?? operator
  return { operator, feeder: dice.chance(5) ? by : feeder }
}

export const oracleActions: readonly ActionKind[] = [
  {
    name: 'oracle.prevote',
    weight: 6,
    wish(world, dice, by) {
      const { operator, feeder } = voterOf(world, dice, by)
      return send(feeder, MsgAggregateExchangeRatePrevoteSchema, {
        hash: voteHash(SALT, dice.pick(RATES), operator.operator),
        feeder: feeder.text,
        validator: spelled(dice, operator.operator),
      })
    },
  },
  {
    name: 'oracle.reveal',
    weight: 8,
    wish(world, dice, by) {
      const due = world.once('prevotes', () => [...state.prevotes.iterate(world.ctx)])
      const { operator, feeder } = voterOf(world, dice, by)
      const found = due.length > 0 ? dice.pick(due) : undefined
      const owner = ownerOf(found?.[0]) ?? operator
      const exchangeRates =
        RATES.find((rates) => voteHash(SALT, rates, owner.operator) === found?.[1].hash) ?? RATES[0]!
      const signer = found ? (ownerOf(state.feeders.get(world.ctx, owner.address)) ?? owner) : feeder
      return send(signer, MsgAggregateExchangeRateVoteSchema, {
        ...{ salt: SALT, exchangeRates, feeder: signer.text },
        validator: spelled(dice, operatorText(owner.address)),
      })
    },
  },
  {
    name: 'oracle.delegateFeeder',
    weight: 0.8,
    wish(world, dice, by) {
      const signer = operatorAmong(world, dice, by)
      return send(signer, MsgDelegateFeedConsentSchema, {
        operator: spelled(dice, signer.operator),
        delegate: spelled(dice, dice.chance(50) ? signer.text : dice.pick(actors).text),
      })
    },
  },
  {
    name: 'oracle.editParams',
    weight: 0.5,
    wish: (_world, dice) =>
      send(actors[0]!, MsgEditOracleParamsSchema, {
        sender: actors[0]!.text,
        params: {
          votePeriod: dice.pick([0n, 2n, 3n]),
          whitelist: dice.pick([
            [],
            ['ubtc:uusd'],
            ['ubtc:uusd', 'ueth:uusd'],
            ['ubtc:uusd', 'ueth:uusd', 'unative:uusd'],
          ]),
          minVoters: dice.pick([0n, 1n, 2n]),
        },
      }),
  },
]
