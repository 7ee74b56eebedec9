/** 0x801: prices, for contracts (evm.md §3.7). */
import * as oracle from '../../oracle/keeper.ts'
import { definePrecompile, type MethodCall } from './define.ts'

/** What Chainlink's interface asks for and nobody reads. */
const ANSWERED_IN_ROUND = 420n

/** The price of a pair. Throws oracle 13 for none, oracle 17 for one that is too old. */
function priceOf({ ctx }: MethodCall, pair: string) {
  return ctx.identity.behaviours.vintageOraclePrices ? oracle.storedRate(ctx, pair) : oracle.currentRate(ctx, pair)
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
