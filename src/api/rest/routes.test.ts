import { expect, test } from 'vitest'
import { almanac } from '../../identity/profiles/almanac.ts'
import { identityOf } from '../../identity/profiles.ts'
import { methods } from '../../identity/registry.ts'
import { createRouter } from './routes.ts'

const TYPE = 'sdk.bank.v1beta1.MsgSend'

test.each([
  ['/cosmos/bank/v1beta1/supplyy', '/cosmos/bank/v1beta1/supply'],
  ['/sdk/bank/v1beta1/supplyy', '/sdk/bank/v1beta1/supply'],
  ['/chain/oracle/v1beta1/pairs/activ', '/chain/oracle/v1beta1/pairs/actives'],
])('the route that is most similar to %s is %s, of the same family', (path, nearest) => {
  expect(createRouter(almanac, methods.values()).nearest(path)).toBe(nearest)
})

test.each([
  ['almanac', '/sdk/bank/v1beta1/supply', TYPE],
  ['almanac', '/cosmos/bank/v1beta1/supply', `cosmos${TYPE.slice(3)}`],
  ['almanac', '/chain/evm/v1/params', `cosmos${TYPE.slice(3)}`],
  ['nibiru', '/sdk/bank/v1beta1/supply', TYPE],
  ['nibiru', '/cosmos/bank/v1beta1/supply', `cosmos${TYPE.slice(3)}`],
  ['nibiru', '/nibiru/evm/v1/params', `cosmos${TYPE.slice(3)}`],
  ['nibiru', '/chain/evm/v1/params', TYPE],
])('under %s, a question at %s is answered with the type URL of %s', (profile, path, name) => {
  const match = createRouter(identityOf(profile), methods.values()).match(path)
  expect(match!.routes.map(({ family }) => family.toName(TYPE))).toEqual([name])
})
