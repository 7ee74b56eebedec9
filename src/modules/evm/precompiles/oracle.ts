/** Precompile 0x801: prices, for contracts (docs/modules/evm.md#precompiles). */
import { errors } from '../../oracle/errors.ts'
import * as oracle from '../../oracle/keeper.ts'
import { definePrecompile, type MethodCall } from './define.ts'

/** `answeredInRound` of Chainlink's interface, a constant. */
const ANSWERED_IN_ROUND = 420n

/** Bound of a price: results are signed words. */
const WORD_LIMIT = 1n << 255n

/** Returns the price of a pair. Throws 5 `notFound` without a price, oracle 17 for an expired one, oracle 2 for one beyond a word. */
function priceOf({ ctx }: MethodCall, pair: string) {
  const { vintageOraclePrices } = ctx.identity.behaviours
  const price = vintageOraclePrices ? oracle.storedRate(ctx, pair) : oracle.currentRate(ctx, pair)
  if (price.rate >= WORD_LIMIT) throw errors.invalidRate('overflow')
  return price
}

export const oraclePrecompile = definePrecompile('precompileOracle', [
  {
    signature: 'queryExchangeRate(string)',
    returns: 'uint256,uint64,uint64',
    changesState: false,
    run(call, args) {
      const { rate, timestampMs, height } = priceOf(call, args[0] as string)
      return [rate, timestampMs, height]
    },
  },
  {
    signature: 'chainLinkLatestRoundData(string)',
    returns: 'uint80,int256,uint256,uint256,uint80',
    changesState: false,
    run(call, args) {
      const { rate, timestampMs, height } = priceOf(call, args[0] as string)
      const seconds = timestampMs / 1000n
      return [height, rate, seconds, seconds, ANSWERED_IN_ROUND]
    },
  },
])
