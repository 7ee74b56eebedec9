/** Collections of store `staking` (docs/modules/staking.md#state). */
import {
  type Delegation,
  DelegationSchema,
  type DVPairs,
  DVPairsSchema,
  type DVVTriplets,
  DVVTripletsSchema,
  type HistoricalInfo,
  HistoricalInfoSchema,
  type Params,
  ParamsSchema,
  type Redelegation,
  RedelegationSchema,
  type UnbondingDelegation,
  UnbondingDelegationSchema,
  type ValAddresses,
  ValAddressesSchema,
  type Validator,
  ValidatorSchema,
  type ValidatorUpdates,
  ValidatorUpdatesSchema,
} from '../../gen/sdk/staking/v1beta1/staking_pb.ts'
import { moduleAccount } from '../../sdk/module-account.ts'
import {
  bytesValue,
  cacheLast,
  cacheRecent,
  protoValue,
  uint64Value,
  withItems,
  wrappedInt64Value,
  wrappedIntValue,
} from '../../store/collections/codecs.ts'
import { bareItem, keySet, map } from '../../store/collections/collections.ts'
import {
  addressKey,
  decimalTextKey,
  pairKey,
  timeKey,
  tripleKey,
  uint64Key,
} from '../../store/collections/key-codecs.ts'

const STORE = 'staking'

export const bondedPool = moduleAccount('bonded_tokens_pool', 'burner', 'staking')
export const notBondedPool = moduleAccount('not_bonded_tokens_pool', 'burner', 'staking')

/** Powers last reported to the engine, by operator. */
export const lastPowers = map(STORE, 0x11, addressKey, wrappedInt64Value)
export const lastTotalPower = bareItem(STORE, 0x12, wrappedIntValue)
/** Validators whose decoded records are cached: every block reads those that sign, several times. */
const CACHED_VALIDATORS = 256

const validatorValue = cacheRecent(protoValue(ValidatorSchema), CACHED_VALIDATORS)
export const validators = map<Uint8Array, Validator>(STORE, 0x21, addressKey, validatorValue)
/** Operators by consensus address. */
export const operators = map(STORE, 0x22, addressKey, bytesValue)
/** Operators by power and inverted operator: the highest power is last, and among equals the lowest operator. */
export const byPower = map(STORE, 0x23, pairKey(uint64Key, addressKey), bytesValue)
/** Delegations by delegator and operator. */
export const delegations = map<readonly [Uint8Array, Uint8Array], Delegation, Uint8Array>(
  STORE,
  0x31,
  pairKey(addressKey, addressKey),
  protoValue(DelegationSchema),
)
const twoAddresses = pairKey(addressKey, addressKey)
const threeAddresses = tripleKey(addressKey, addressKey, addressKey)
/** Unbondings by delegator and operator. */
export const unbondings = map<readonly [Uint8Array, Uint8Array], UnbondingDelegation, Uint8Array>(
  STORE,
  0x32,
  twoAddresses,
  protoValue(UnbondingDelegationSchema),
)
/** Index of unbondings by operator and delegator. */
export const unbondingsByValidator = keySet(STORE, 0x33, twoAddresses)
/** Redelegations by delegator, source operator and destination operator. */
export const redelegations = map<
  readonly [Uint8Array, Uint8Array, Uint8Array],
  Redelegation,
  readonly [Uint8Array] | readonly [Uint8Array, Uint8Array]
>(STORE, 0x34, threeAddresses, protoValue(RedelegationSchema))
/** Index of redelegations by source operator, delegator and destination operator. */
export const redelegationsBySource = keySet(STORE, 0x35, threeAddresses)
/** Index of redelegations by destination operator, delegator and source operator. */
export const redelegationsByDestination = keySet(STORE, 0x36, threeAddresses)
/** Number of unbonding operations so far. */
export const unbondingCount = bareItem(STORE, 0x37, uint64Value)
/** Keys of unbonding operations by unbonding id. */
export const unbondingIndex = map(STORE, 0x38, uint64Key, bytesValue)
/** Kinds of unbonding operations by unbonding id. */
export const unbondingTypes = map(STORE, 0x39, uint64Key, uint64Value)
/** Unbondings with an entry that completes at a time, by that time. */
export const unbondingQueue = map<bigint, DVPairs>(STORE, 0x41, timeKey, protoValue(DVPairsSchema))
/** Redelegations with an entry that completes at a time, by that time. */
export const redelegationQueue = map<bigint, DVVTriplets>(STORE, 0x42, timeKey, protoValue(DVVTripletsSchema))
/** Validators whose unbonding completes at a time, by the length of the time text (29), the time and the height. */
export const validatorQueue = map<
  readonly [bigint, bigint, bigint],
  ValAddresses,
  readonly [bigint] | readonly [bigint, bigint]
>(STORE, 0x43, tripleKey(uint64Key, timeKey, uint64Key), protoValue(ValAddressesSchema))
export const TIME_LENGTH = 29n
export const historicalInfos = map<bigint, HistoricalInfo>(
  STORE,
  0x50,
  decimalTextKey,
  withItems(protoValue(HistoricalInfoSchema), { name: 'valset', field: 2, item: validatorValue }),
)
export const params = bareItem<Params>(STORE, 0x51, cacheLast(protoValue(ParamsSchema)))
/** Validator updates reported to the engine at the end of the last block. */
export const updates = bareItem<ValidatorUpdates>(STORE, 0x61, cacheLast(protoValue(ValidatorUpdatesSchema)))
