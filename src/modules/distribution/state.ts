/** Collections of store `distribution` (docs/modules/distribution.md#state). */
import { create } from '@bufbuild/protobuf'
import {
  type DelegatorStartingInfo,
  DelegatorStartingInfoSchema,
  FeePoolSchema,
  type Params,
  ParamsSchema,
  ValidatorAccumulatedCommissionSchema,
  ValidatorCurrentRewardsSchema,
  type ValidatorHistoricalRewards,
  ValidatorHistoricalRewardsSchema,
  ValidatorOutstandingRewardsSchema,
  type ValidatorSlashEvent,
  ValidatorSlashEventSchema,
} from '../../gen/sdk/distribution/v1beta1/distribution_pb.ts'
import { type DecCoins, decode, encode } from '../../primitives/dec-coin.ts'
import { moduleAccount } from '../../sdk/module-account.ts'
import {
  bytesValue,
  cacheLast,
  cacheRecent,
  convertedValue,
  protoValue,
  wrappedBytesValue,
} from '../../store/collections/codecs.ts'
import { bareItem, map } from '../../store/collections/collections.ts'
import { addressKey, pairKey, tripleKey, uint64Key, uint64LittleEndianKey } from '../../store/collections/key-codecs.ts'

const STORE = 'distribution'

/** The account of all rewards that are not withdrawn, and of the community pool. */
export const distributionAccount = moduleAccount('distribution')

/** Validators whose decoded records of rewards are cached. Most blocks read and write them and add nothing. */
const CACHED_VALIDATORS = 256

/** Coins of the community pool. */
export const feePool = bareItem(
  STORE,
  0x00,
  cacheRecent(
    convertedValue(
      protoValue(FeePoolSchema),
      (coins: DecCoins) => create(FeePoolSchema, { communityPool: encode(coins) }),
      ({ communityPool }) => decode(communityPool),
    ),
    1,
  ),
)
/** Consensus address of the previous block's proposer. */
export const previousProposer = bareItem(STORE, 0x01, wrappedBytesValue)
/** Rewards and commission that are not withdrawn, by operator. */
export const outstanding = map(
  STORE,
  0x02,
  addressKey,
  cacheRecent(
    convertedValue(
      protoValue(ValidatorOutstandingRewardsSchema),
      (coins: DecCoins) => create(ValidatorOutstandingRewardsSchema, { rewards: encode(coins) }),
      ({ rewards }) => decode(rewards),
    ),
    CACHED_VALIDATORS,
  ),
)
/** Withdraw addresses by delegator; absent if rewards go to the delegator. */
export const withdrawAddresses = map(STORE, 0x03, addressKey, bytesValue)
/** Starting infos by operator and delegator. */
export const startingInfos = map<readonly [Uint8Array, Uint8Array], DelegatorStartingInfo, Uint8Array>(
  STORE,
  0x04,
  pairKey(addressKey, addressKey),
  protoValue(DelegatorStartingInfoSchema),
)
/** Reward sums by operator and period. The period is little-endian: key order is not numeric order. */
export const historical = map<readonly [Uint8Array, bigint], ValidatorHistoricalRewards, Uint8Array>(
  STORE,
  0x05,
  pairKey(addressKey, uint64LittleEndianKey),
  protoValue(ValidatorHistoricalRewardsSchema),
)
/** Rewards of the current period, and its number. */
export interface CurrentRewards {
  readonly rewards: DecCoins
  readonly period: bigint
}
export const current = map(
  STORE,
  0x06,
  addressKey,
  cacheRecent(
    convertedValue(
      protoValue(ValidatorCurrentRewardsSchema),
      ({ rewards, period }: CurrentRewards) =>
        create(ValidatorCurrentRewardsSchema, { rewards: encode(rewards), period }),
      ({ rewards, period }): CurrentRewards => ({ rewards: decode(rewards), period }),
    ),
    CACHED_VALIDATORS,
  ),
)
export const commissions = map(
  STORE,
  0x07,
  addressKey,
  cacheRecent(
    convertedValue(
      protoValue(ValidatorAccumulatedCommissionSchema),
      (coins: DecCoins) => create(ValidatorAccumulatedCommissionSchema, { commission: encode(coins) }),
      ({ commission }) => decode(commission),
    ),
    CACHED_VALIDATORS,
  ),
)
/** Slashes by operator, height and period. */
export const slashEvents = map<
  readonly [Uint8Array, bigint, bigint],
  ValidatorSlashEvent,
  readonly [Uint8Array] | readonly [Uint8Array, bigint]
>(STORE, 0x08, tripleKey(addressKey, uint64Key, uint64Key), protoValue(ValidatorSlashEventSchema))
export const params = bareItem<Params>(STORE, 0x09, cacheLast(protoValue(ParamsSchema)))
