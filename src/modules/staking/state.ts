/** Collections of store `staking` (state-layout.md §2.10). */
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
  protoValue,
  uint64Value,
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

/** Operator to the power the engine was last told. */
export const lastPowers = map(STORE, 0x11, addressKey, wrappedInt64Value)
export const lastTotalPower = bareItem(STORE, 0x12, wrappedIntValue)
export const validators = map<Uint8Array, Validator>(STORE, 0x21, addressKey, protoValue(ValidatorSchema))
/** Consensus address to operator. */
export const operators = map(STORE, 0x22, addressKey, bytesValue)
/** Power and inverted operator to operator: the strongest is last, and among equals the lowest operator. */
export const byPower = map(STORE, 0x23, pairKey(uint64Key, addressKey), bytesValue)
/** Delegator and operator. */
export const delegations = map<readonly [Uint8Array, Uint8Array], Delegation, Uint8Array>(
  STORE,
  0x31,
  pairKey(addressKey, addressKey),
  protoValue(DelegationSchema),
)
const twoAddresses = pairKey(addressKey, addressKey)
const threeAddresses = tripleKey(addressKey, addressKey, addressKey)
/** Delegator and operator. */
export const unbondings = map<readonly [Uint8Array, Uint8Array], UnbondingDelegation, Uint8Array>(
  STORE,
  0x32,
  twoAddresses,
  protoValue(UnbondingDelegationSchema),
)
/** Operator and delegator of an unbonding. */
export const unbondingsByValidator = keySet(STORE, 0x33, twoAddresses)
/** Delegator, operator it leaves, operator it joins. */
export const redelegations = map<
  readonly [Uint8Array, Uint8Array, Uint8Array],
  Redelegation,
  readonly [Uint8Array] | readonly [Uint8Array, Uint8Array]
>(STORE, 0x34, threeAddresses, protoValue(RedelegationSchema))
/** Left operator, delegator, joined operator. */
export const redelegationsBySource = keySet(STORE, 0x35, threeAddresses)
/** Joined operator, delegator, left operator. */
export const redelegationsByDestination = keySet(STORE, 0x36, threeAddresses)
/** Number of unbonding operations so far. */
export const unbondingCount = bareItem(STORE, 0x37, uint64Value)
/** Unbonding id to the key of what unbonds. */
export const unbondingIndex = map(STORE, 0x38, uint64Key, bytesValue)
/** Unbonding id to the kind of what unbonds. */
export const unbondingTypes = map(STORE, 0x39, uint64Key, uint64Value)
/** Time to the unbondings with an entry that ends then. */
export const unbondingQueue = map<bigint, DVPairs>(STORE, 0x41, timeKey, protoValue(DVPairsSchema))
/** Time to the redelegations with an entry that ends then. */
export const redelegationQueue = map<bigint, DVVTriplets>(STORE, 0x42, timeKey, protoValue(DVVTripletsSchema))
/** Length of the time text (29), time, height to the validators whose unbonding ends then. */
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
  protoValue(HistoricalInfoSchema),
)
export const params = bareItem<Params>(STORE, 0x51, protoValue(ParamsSchema))
/** What the engine was told at the end of the last block. */
export const updates = bareItem<ValidatorUpdates>(STORE, 0x61, protoValue(ValidatorUpdatesSchema))
