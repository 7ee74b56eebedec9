/** Collections of store `distribution` (docs/modules/distribution.md#state). */
import {
  type DelegatorStartingInfo,
  DelegatorStartingInfoSchema,
  type FeePool,
  FeePoolSchema,
  type Params,
  ParamsSchema,
  type ValidatorAccumulatedCommission,
  ValidatorAccumulatedCommissionSchema,
  type ValidatorCurrentRewards,
  ValidatorCurrentRewardsSchema,
  type ValidatorHistoricalRewards,
  ValidatorHistoricalRewardsSchema,
  type ValidatorOutstandingRewards,
  ValidatorOutstandingRewardsSchema,
  type ValidatorSlashEvent,
  ValidatorSlashEventSchema,
} from '../../gen/sdk/distribution/v1beta1/distribution_pb.ts'
import { moduleAccount } from '../../sdk/module-account.ts'
import { bytesValue, cacheLast, protoValue, wrappedBytesValue } from '../../store/collections/codecs.ts'
import { bareItem, map } from '../../store/collections/collections.ts'
import { addressKey, pairKey, tripleKey, uint64Key, uint64LittleEndianKey } from '../../store/collections/key-codecs.ts'

const STORE = 'distribution'

/** The account of all rewards that are not withdrawn, and of the community pool. */
export const distributionAccount = moduleAccount('distribution')

export const feePool = bareItem<FeePool>(STORE, 0x00, protoValue(FeePoolSchema))
/** Consensus address of the previous block's proposer. */
export const previousProposer = bareItem(STORE, 0x01, wrappedBytesValue)
/** Rewards and commission that are not withdrawn, by operator. */
export const outstanding = map<Uint8Array, ValidatorOutstandingRewards>(
  STORE,
  0x02,
  addressKey,
  protoValue(ValidatorOutstandingRewardsSchema),
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
export const current = map<Uint8Array, ValidatorCurrentRewards>(
  STORE,
  0x06,
  addressKey,
  protoValue(ValidatorCurrentRewardsSchema),
)
export const commissions = map<Uint8Array, ValidatorAccumulatedCommission>(
  STORE,
  0x07,
  addressKey,
  protoValue(ValidatorAccumulatedCommissionSchema),
)
/** Slashes by operator, height and period. */
export const slashEvents = map<
  readonly [Uint8Array, bigint, bigint],
  ValidatorSlashEvent,
  readonly [Uint8Array] | readonly [Uint8Array, bigint]
>(STORE, 0x08, tripleKey(addressKey, uint64Key, uint64Key), protoValue(ValidatorSlashEventSchema))
export const params = bareItem<Params>(STORE, 0x09, cacheLast(protoValue(ParamsSchema)))
