/** Stateless checks of the messages (docs/modules/oracle.md#messages). */
import {
  MsgAggregateExchangeRatePrevoteSchema,
  MsgAggregateExchangeRateVoteSchema,
  MsgDelegateFeedConsentSchema,
  MsgEditOracleParamsSchema,
} from '../../gen/chain/oracle/v1beta1/tx_pb.ts'
import * as address from '../../identity/address.ts'
import { utf8 } from '../../primitives/bytes.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { validation } from '../../sdk/module.ts'
import { errors } from './errors.ts'
import { parseRates } from './vote-text.ts'

const HASH_DIGITS = 40
const MAX_RATES_BYTES = 4096
const MAX_SALT_BYTES = 4

export const validations = [
  validation(MsgAggregateExchangeRatePrevoteSchema, (ctx, { hash, feeder, validator }) => {
    if (hash.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(hash))
      throw errors.invalidHash(JSON.stringify(hash.slice(0, 80)))
    if (hash.length !== HASH_DIGITS) throw errors.invalidHashLength(`got ${hash.length / 2}`)
    address.parse(ctx, feeder)
    address.parseValidator(ctx, validator)
  }),
  validation(MsgAggregateExchangeRateVoteSchema, (ctx, { salt, exchangeRates, feeder, validator }) => {
    address.parse(ctx, feeder)
    address.parseValidator(ctx, validator)
    if (exchangeRates.length === 0) throw sdkErrors.unknownRequest('must provide at least one oracle exchange rate')
    if (utf8(exchangeRates).length > MAX_RATES_BYTES) {
      throw sdkErrors.invalidRequest(`exchange rates string can not exceed ${MAX_RATES_BYTES} characters`)
    }
    parseRates(exchangeRates)
    const saltLength = utf8(salt).length
    if (saltLength < 1 || saltLength > MAX_SALT_BYTES) throw errors.invalidSalt(`got ${saltLength}`)
  }),
  validation(MsgDelegateFeedConsentSchema, (ctx, { operator, delegate }) => {
    address.parseValidator(ctx, operator)
    address.parse(ctx, delegate)
  }),
  validation(MsgEditOracleParamsSchema, (ctx, { sender, params }) => {
    address.parse(ctx, sender)
    if (!params) throw sdkErrors.invalidRequest('params must be given')
  }),
]
