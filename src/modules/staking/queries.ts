/** sdk.staking.v1beta1.Query */

import type { PageRequest } from '../../gen/sdk/base/query/v1beta1/pagination_pb.ts'
import { Query } from '../../gen/sdk/staking/v1beta1/query_pb.ts'
import { BondStatusSchema, type Delegation, type Redelegation } from '../../gen/sdk/staking/v1beta1/staking_pb.ts'
import * as address from '../../identity/address.ts'
import { equal } from '../../primitives/bytes.ts'
import * as decimal from '../../primitives/decimal.ts'
import { queryError } from '../../primitives/errors.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { defineQueries } from '../../sdk/module.ts'
import { parseField, wrongField } from '../../sdk/request.ts'
import * as bank from '../bank/keeper.ts'
import { getDelegation } from './delegation.ts'
import { params } from './params.ts'
import * as state from './state.ts'
import { getUnbonding } from './unbonding.ts'
import { tokensFromShares } from './validator.ts'
import { getValidator, requireValidator } from './validators.ts'

function parseOperator(ctx: ReadContext, text: string): Uint8Array {
  if (text === '') throw wrongField('validator_addr', 'validator address cannot be empty')
  return parseField('validator_addr', () => address.parseValidator(ctx, text))
}

function find(ctx: ReadContext, text: string) {
  const operator = parseOperator(ctx, text)
  const validator = getValidator(ctx, operator)
  if (!validator) throw queryError('notFound', `validator ${text} not found`)
  return { operator, validator }
}

function parseDelegator(ctx: ReadContext, text: string): Uint8Array {
  if (text === '') throw wrongField('delegator_addr', 'delegator address cannot be empty')
  return parseField('delegator_addr', () => address.parse(ctx, text))
}

function withBalance(ctx: ReadContext, delegation: Delegation) {
  const validator = requireValidator(ctx, address.parseValidator(ctx, delegation.validatorAddress))
  const shares = decimal.decode(delegation.shares) ?? decimal.zero
  const amount = decimal.truncate(tokensFromShares(validator, shares)).toString()
  return { delegation, balance: { denom: params(ctx).bondDenom, amount } }
}

function withBalances(ctx: ReadContext, redelegation: Redelegation) {
  const validator = requireValidator(ctx, address.parseValidator(ctx, redelegation.validatorDstAddress))
  const entries = redelegation.entries.map((redelegationEntry) => {
    const shares = decimal.decode(redelegationEntry.sharesDst) ?? decimal.zero
    return { redelegationEntry, balance: decimal.truncate(tokensFromShares(validator, shares)).toString() }
  })
  return { redelegation: { ...redelegation, entries: [] }, entries }
}

const matches = (wanted: Uint8Array | undefined, operator: Uint8Array) => !wanted || equal(wanted, operator)

/** Returns a page of the redelegations of an account, between the validators that are named. */
function redelegationsOf(
  ctx: ReadContext,
  delegator: Uint8Array,
  wanted: { readonly source: Uint8Array | undefined; readonly destination: Uint8Array | undefined },
  pagination: PageRequest | undefined,
) {
  const page = state.redelegations.page(ctx, pagination, {
    prefix: [delegator],
    filter: ([, source, destination]) => matches(wanted.source, source) && matches(wanted.destination, destination),
  })
  return { ...page, entries: page.entries.map(([, redelegation]) => redelegation) }
}

/** Returns a page of all redelegations away from a validator, by delegator. */
function redelegationsFrom(
  ctx: ReadContext,
  source: Uint8Array,
  wanted: Uint8Array | undefined,
  pagination: PageRequest | undefined,
) {
  const page = state.redelegationsBySource.page(ctx, pagination, {
    prefix: [source],
    filter: ([, , destination]) => matches(wanted, destination),
  })
  const entries = page.entries.flatMap(
    ([, delegator, destination]) => state.redelegations.get(ctx, [delegator, source, destination]) ?? [],
  )
  return { ...page, entries }
}

export const queries = defineQueries(Query, {
  validators(ctx, { status, pagination }) {
    const wanted = status === '' ? undefined : BondStatusSchema.values.find(({ name }) => name === status)
    if (status !== '' && (wanted === undefined || wanted.number === 0)) {
      throw wrongField('status', `invalid validator status ${status}`)
    }
    const page = state.validators.page(ctx, pagination, {
      filter: (_operator, validator) => wanted === undefined || validator.status === wanted.number,
    })
    const validators = page.entries.map(([, validator]) => validator)
    return { validators, pagination: { nextKey: page.nextKey, total: page.total } }
  },
  validator(ctx, { validatorAddr }) {
    return { validator: find(ctx, validatorAddr).validator }
  },
  validatorDelegations(ctx, { validatorAddr, pagination }) {
    const { operator } = find(ctx, validatorAddr)
    const page = state.delegations.page(ctx, pagination, { filter: ([, of]) => equal(of, operator) })
    const delegationResponses = page.entries.map(([, delegation]) => withBalance(ctx, delegation))
    return { delegationResponses, pagination: { nextKey: page.nextKey, total: page.total } }
  },
  validatorUnbondingDelegations(ctx, { validatorAddr, pagination }) {
    const operator = parseOperator(ctx, validatorAddr)
    const page = state.unbondingsByValidator.page(ctx, pagination, { prefix: operator })
    const unbondingResponses = page.entries.flatMap(([, delegator]) => getUnbonding(ctx, [delegator, operator]) ?? [])
    return { unbondingResponses, pagination: { nextKey: page.nextKey, total: page.total } }
  },
  delegation(ctx, { validatorAddr, delegatorAddr }) {
    const delegator = parseDelegator(ctx, delegatorAddr)
    const { operator } = find(ctx, validatorAddr)
    const delegation = getDelegation(ctx, delegator, operator)
    if (!delegation) {
      throw queryError(
        'notFound',
        `delegation with delegator ${delegatorAddr} not found for validator ${validatorAddr}`,
      )
    }
    return { delegationResponse: withBalance(ctx, delegation) }
  },
  unbondingDelegation(ctx, { validatorAddr, delegatorAddr }) {
    const delegator = parseDelegator(ctx, delegatorAddr)
    const { operator } = find(ctx, validatorAddr)
    const unbond = getUnbonding(ctx, [delegator, operator])
    if (!unbond) {
      throw queryError(
        'notFound',
        `unbonding delegation with delegator ${delegatorAddr} not found for validator ${validatorAddr}`,
      )
    }
    return { unbond }
  },
  delegatorDelegations(ctx, { delegatorAddr, pagination }) {
    const page = state.delegations.page(ctx, pagination, { prefix: parseDelegator(ctx, delegatorAddr) })
    const delegationResponses = page.entries.map(([, delegation]) => withBalance(ctx, delegation))
    return { delegationResponses, pagination: { nextKey: page.nextKey, total: page.total } }
  },
  delegatorUnbondingDelegations(ctx, { delegatorAddr, pagination }) {
    const page = state.unbondings.page(ctx, pagination, { prefix: parseDelegator(ctx, delegatorAddr) })
    const unbondingResponses = page.entries.map(([, unbonding]) => unbonding)
    return { unbondingResponses, pagination: { nextKey: page.nextKey, total: page.total } }
  },
  redelegations(ctx, { delegatorAddr, srcValidatorAddr, dstValidatorAddr, pagination }) {
    const parse = (field: string, text: string) =>
      text === '' ? undefined : parseField(field, () => address.parseValidator(ctx, text))
    const source = parse('src_validator_addr', srcValidatorAddr)
    const destination = parse('dst_validator_addr', dstValidatorAddr)
    const page =
      delegatorAddr === '' && source
        ? redelegationsFrom(ctx, source, destination, pagination)
        : redelegationsOf(ctx, parseDelegator(ctx, delegatorAddr), { source, destination }, pagination)
    const redelegationResponses = page.entries.map((redelegation) => withBalances(ctx, redelegation))
    return { redelegationResponses, pagination: { nextKey: page.nextKey, total: page.total } }
  },
  delegatorValidators(ctx, { delegatorAddr, pagination }) {
    const page = state.delegations.page(ctx, pagination, { prefix: parseDelegator(ctx, delegatorAddr) })
    const validators = page.entries.map(([[, operator]]) => requireValidator(ctx, operator))
    return { validators, pagination: { nextKey: page.nextKey, total: page.total } }
  },
  delegatorValidator(ctx, { delegatorAddr, validatorAddr }) {
    const delegator = parseDelegator(ctx, delegatorAddr)
    const { operator, validator } = find(ctx, validatorAddr)
    if (!getDelegation(ctx, delegator, operator)) {
      throw queryError(
        'notFound',
        `delegation with delegator ${delegatorAddr} not found for validator ${validatorAddr}`,
      )
    }
    return { validator }
  },
  historicalInfo(ctx, { height }) {
    if (height < 0n) throw wrongField('height', 'height cannot be negative')
    const hist = state.historicalInfos.get(ctx, height)
    if (!hist) throw queryError('notFound', `historical info for height ${height} not found`)
    return { hist }
  },
  pool(ctx) {
    const denom = params(ctx).bondDenom
    return {
      pool: {
        notBondedTokens: bank.balance(ctx, state.notBondedPool.address, denom).toString(),
        bondedTokens: bank.balance(ctx, state.bondedPool.address, denom).toString(),
      },
    }
  },
  params(ctx) {
    return { params: params(ctx) }
  },
})
