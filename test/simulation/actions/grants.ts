/** Permissions to act and to spend fees for another account. */

import type { Any } from '@bufbuild/protobuf/wkt'
import { GenericAuthorizationSchema } from '../../../src/gen/sdk/authz/v1beta1/authz_pb.ts'
import { MsgExecSchema, MsgGrantSchema, MsgRevokeSchema } from '../../../src/gen/sdk/authz/v1beta1/tx_pb.ts'
import { SendAuthorizationSchema } from '../../../src/gen/sdk/bank/v1beta1/authz_pb.ts'
import { MsgSendSchema } from '../../../src/gen/sdk/bank/v1beta1/tx_pb.ts'
import {
  AllowedMsgAllowanceSchema,
  BasicAllowanceSchema,
  PeriodicAllowanceSchema,
} from '../../../src/gen/sdk/feegrant/v1beta1/feegrant_pb.ts'
import { MsgGrantAllowanceSchema, MsgRevokeAllowanceSchema } from '../../../src/gen/sdk/feegrant/v1beta1/tx_pb.ts'
import { AuthorizationType, StakeAuthorizationSchema } from '../../../src/gen/sdk/staking/v1beta1/authz_pb.ts'
import {
  MsgBeginRedelegateSchema,
  MsgDelegateSchema,
  MsgUndelegateSchema,
} from '../../../src/gen/sdk/staking/v1beta1/tx_pb.ts'
import * as authzState from '../../../src/modules/authz/state.ts'
import * as feegrantState from '../../../src/modules/feegrant/state.ts'
import { NS_PER_SECOND } from '../../../src/primitives/time.ts'
import { type Actor, actors } from '../actors.ts'
import type { Dice } from '../dice.ts'
import { coin, message, ONE, pack, packed } from '../messages.ts'
import type { MessageWish } from '../transactions.ts'
import { accountText, anyAddress, anyOperator, operatorText, spelled, type World } from '../world.ts'
import { type ActionKind, send } from './action.ts'

const typeUrl = ({ typeName }: { readonly typeName: string }): string => `/${typeName}`
const DAY = 86_400n

const ownerOf = (address: Uint8Array): Actor | undefined =>
  actors.find((actor) => Buffer.compare(actor.address, address) === 0)

const inDays = ({ ctx }: World, days: number) => ({
  seconds: ctx.block.timeNs / NS_PER_SECOND + BigInt(days) * DAY + 10n,
})

function allowance(world: World, dice: Dice, depth = 0): Any {
  const basic = {
    spendLimit: dice.chance(50) ? [coin(dice.amount(ONE))] : [],
    ...(dice.chance(50) && { expiration: inDays(world, dice.below(8)) }),
  }
  const kind = dice.below(dice.chance(5) ? 3 : depth > 0 ? 2 : 3)
  if (kind === 0) return pack(BasicAllowanceSchema, basic)
  if (kind === 1) {
    const each = [coin(100_000n)]
    return pack(PeriodicAllowanceSchema, {
      ...{ basic, period: { seconds: DAY }, periodSpendLimit: each, periodCanSpend: each },
      periodReset: inDays(world, 1),
    })
  }
  const allowedMessages = [typeUrl(MsgSendSchema), typeUrl(MsgDelegateSchema)]
  return pack(AllowedMsgAllowanceSchema, { allowance: allowance(world, dice, depth + 1), allowedMessages })
}

function authorization(world: World, dice: Dice) {
  switch (dice.below(3)) {
    case 0:
      return pack(GenericAuthorizationSchema, {
        msg: typeUrl(
          dice.pick([MsgSendSchema, MsgDelegateSchema, MsgUndelegateSchema, MsgBeginRedelegateSchema, MsgExecSchema]),
        ),
      })
    case 1:
      return pack(SendAuthorizationSchema, {
        spendLimit: [coin(dice.amount(100n * ONE))],
        allowList: dice.chance(40) ? [dice.pick(actors).text] : [],
      })
    default: {
      const list = { address: [spelled(dice, operatorText(anyOperator(world, dice)))] }
      const isDenied = dice.chance(50)
      return pack(StakeAuthorizationSchema, {
        ...(dice.chance(70) && { maxTokens: coin(dice.amount(100n * ONE)) }),
        validators: isDenied ? { case: 'denyList', value: list } : { case: 'allowList', value: list },
        authorizationType: dice.pick([
          AuthorizationType.DELEGATE,
          AuthorizationType.UNDELEGATE,
          AuthorizationType.REDELEGATE,
        ]),
      })
    }
  }
}

/** Returns messages that a grantee sends for a granter. */
function granted(world: World, dice: Dice, granter: Actor, url: string) {
  const amount = coin(dice.amount(20n * ONE))
  const [delegatorAddress, validatorAddress] = [granter.text, spelled(dice, operatorText(anyOperator(world, dice)))]
  switch (url) {
    case typeUrl(MsgDelegateSchema):
      return message(MsgDelegateSchema, { delegatorAddress, validatorAddress, amount })
    case typeUrl(MsgUndelegateSchema):
      return message(MsgUndelegateSchema, { delegatorAddress, validatorAddress, amount })
    case typeUrl(MsgBeginRedelegateSchema):
      return message(MsgBeginRedelegateSchema, {
        ...{ delegatorAddress, amount, validatorSrcAddress: validatorAddress },
        validatorDstAddress: operatorText(anyOperator(world, dice)),
      })
    default:
      return message(MsgSendSchema, {
        fromAddress: granter.text,
        toAddress: accountText(anyAddress(world, dice)),
        amount: [amount],
      })
  }
}

function exec(world: World, dice: Dice, by: Actor): MessageWish {
  const grants = world.once('grants', () => [...authzState.grants.keys(world.ctx)])
  const found = grants.length > 0 && !dice.chance(10) ? dice.pick(grants) : undefined
  const granter = (found && ownerOf(found[0])) ?? dice.pick(actors)
  const grantee = (found && ownerOf(found[1])) ?? by
  let inner = granted(world, dice, granter, found?.[2] ?? typeUrl(MsgSendSchema))
  for (let depth = dice.chance(15) ? 1 + dice.below(3) : 0; depth > 0; depth--) {
    inner = message(MsgExecSchema, { grantee: grantee.text, msgs: [packed(inner)] })
  }
  return send(grantee, MsgExecSchema, { grantee: spelled(dice, grantee.text), msgs: [packed(inner)] })
}

export const grantActions: readonly ActionKind[] = [
  {
    name: 'authz.grant',
    weight: 3,
    wish: (world, dice, by) =>
      send(by, MsgGrantSchema, {
        granter: by.text,
        grantee: spelled(dice, dice.pick(actors).text),
        grant: {
          authorization: authorization(world, dice),
          ...(dice.chance(60) && { expiration: inDays(world, dice.below(10)) }),
        },
      }),
  },
  { name: 'authz.exec', weight: 4, wish: exec },
  {
    name: 'authz.revoke',
    weight: 0.7,
    wish(world, dice, by) {
      const grants = [...authzState.grants.keys(world.ctx, { prefix: [by.address] })]
      if (grants.length === 0) return undefined
      const [, grantee, msgTypeUrl] = dice.pick(grants)
      return send(by, MsgRevokeSchema, { granter: by.text, grantee: accountText(grantee), msgTypeUrl })
    },
  },
  {
    name: 'feegrant.grant',
    weight: 2,
    wish: (world, dice, by) =>
      send(by, MsgGrantAllowanceSchema, {
        granter: by.text,
        grantee: spelled(dice, dice.pick(actors).text),
        allowance: allowance(world, dice),
      }),
  },
  {
    name: 'feegrant.spend',
    weight: 3,
    wish(world, dice, by) {
      const grants = world.once('allowances', () => [...feegrantState.grants.keys(world.ctx)])
      const [to, from] = grants.length > 0 ? dice.pick(grants) : [by.address, dice.pick(actors).address]
      const [signer, granter] = [ownerOf(to), ownerOf(from)]
      if (!signer || !granter) return undefined
      const amount = [coin(dice.amount(1000n))]
      return send(signer, MsgSendSchema, { fromAddress: signer.text, toAddress: by.text, amount }, { granter })
    },
  },
  {
    name: 'feegrant.revoke',
    weight: 0.7,
    wish(world, dice, by) {
      const grants = world.once('allowances', () => [...feegrantState.grants.keys(world.ctx)])
      if (grants.length === 0) return undefined
      const [grantee, granter] = dice.pick(grants)
      const signer = ownerOf(granter) ?? by
      return send(signer, MsgRevokeAllowanceSchema, { granter: signer.text, grantee: accountText(grantee) })
    },
  },
]
