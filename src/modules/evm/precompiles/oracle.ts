/** 0x801: prices, for contracts (evm.md §3.7). */
import { errors } from '../../oracle/errors.ts'
import * as oracle from '../../oracle/keeper.ts'
import { definePrecompile, type MethodCall } from './define.ts'

/** What Chainlink's interface asks for and nobody reads. */
const ANSWERED_IN_ROUND = 420n

/** Prices as contracts take them are signed words. */
const WORD_LIMIT = 1n << 255n

/** The price of a pair. Throws 5 `notFound` for none, oracle 17 for one that is too old, oracle 2 beyond a word. */
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
