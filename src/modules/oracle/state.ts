/** Collections of store `oracle` (docs/modules/oracle.md#state). */
import {
  type AggregateExchangeRatePrevote,
  AggregateExchangeRatePrevoteSchema,
  type AggregateExchangeRateVote,
  AggregateExchangeRateVoteSchema,
  type ExchangeRateAtBlock,
  ExchangeRateAtBlockSchema,
  type Params,
  ParamsSchema,
  type PriceSnapshot,
  PriceSnapshotSchema,
  type Rewards,
  RewardsSchema,
} from '../../gen/chain/oracle/v1beta1/oracle_pb.ts'
import { moduleAccount } from '../../sdk/module-account.ts'
import { bytesValue, cacheLast, protoValue, uint64Value } from '../../store/collections/codecs.ts'
import { item, keySet, map, sequence } from '../../store/collections/collections.ts'
import { pairKey, stringKey, timeKey, uint64Key, validatorTextKey } from '../../store/collections/key-codecs.ts'

const STORE = 'oracle'
/** The store of values that the original layout has no key for (D29). */
const OWN_STORE = 'x'

/** The account that rewards are paid from. */
export const account = moduleAccount('oracle')

/** Pair → the latest price. */
export const exchangeRates = map<string, ExchangeRateAtBlock>(
  STORE,
  0x01,
  stringKey,
  protoValue(ExchangeRateAtBlockSchema),
)
/** Operator → the account that votes for it. */
export const feeders = map(STORE, 0x02, validatorTextKey, bytesValue)
/** Operator → its misses in the current slash window. */
export const missCounters = map(STORE, 0x03, validatorTextKey, uint64Value)
export const prevotes = map<Uint8Array, AggregateExchangeRatePrevote>(
  STORE,
  0x04,
  validatorTextKey,
  protoValue(AggregateExchangeRatePrevoteSchema),
)
export const votes = map<Uint8Array, AggregateExchangeRateVote>(
  STORE,
  0x05,
  validatorTextKey,
  protoValue(AggregateExchangeRateVoteSchema),
)
/** Pairs that validators vote on in the current voting period. */
export const voteTargets = keySet(STORE, 0x06, stringKey)
export const rewards = map<bigint, Rewards>(STORE, 0x07, uint64Key, protoValue(RewardsSchema))
export const rewardIds = sequence(STORE, 0x09)
/** Pair and block time → the price set then. */
export const snapshots = map<readonly [string, bigint], PriceSnapshot, string>(
  STORE,
  0x0a,
  pairKey(stringKey, timeKey),
  protoValue(PriceSnapshotSchema),
)
export const params = item<Params>(STORE, 0x0b, cacheLast(protoValue(ParamsSchema)))
/** Parameters that take effect at the end of the voting period (D26). */
export const pendingParams = item<Params>(OWN_STORE, 0x20, protoValue(ParamsSchema))
