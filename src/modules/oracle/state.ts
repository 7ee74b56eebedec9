/** Collections of store `oracle` (state-layout.md §2.4), as far as prices are read from it. */
import {
  type ExchangeRateAtBlock,
  ExchangeRateAtBlockSchema,
  type Params,
  ParamsSchema,
} from '../../gen/chain/oracle/v1beta1/oracle_pb.ts'
import { protoValue } from '../../store/codecs.ts'
import { item, map, type StateItem, type StateMap } from '../../store/collections.ts'
import { stringKey } from '../../store/key-codecs.ts'

const STORE = 'oracle'

/** Pair to the price last agreed on. */
export const exchangeRates: StateMap<string, ExchangeRateAtBlock, never> = map(
  STORE,
  0x01,
  stringKey,
  protoValue(ExchangeRateAtBlockSchema),
)

export const params: StateItem<Params> = item(STORE, 0x0b, protoValue(ParamsSchema))
