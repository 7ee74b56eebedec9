/** Codespace `staking`. */
import { defineErrors } from '../../primitives/errors.ts'

export const errors = defineErrors('staking', {
  noValidatorFound: { code: 3, status: 'failedPrecondition', text: 'validator does not exist' },
  operatorExists: {
    code: 4,
    status: 'failedPrecondition',
    text: 'validator already exist for this operator address; must use new validator operator address',
  },
  publicKeyExists: {
    code: 5,
    status: 'failedPrecondition',
    text: 'validator already exist for this pubkey; must use new validator pubkey',
  },
  publicKeyType: { code: 6, status: 'failedPrecondition', text: 'validator pubkey type is not supported' },
  jailed: { code: 7, status: 'failedPrecondition', text: 'validator for this address is currently jailed' },
  commissionNegative: { code: 9, status: 'failedPrecondition', text: 'commission must be positive' },
  commissionHuge: { code: 10, status: 'failedPrecondition', text: 'commission cannot be more than 100%' },
  commissionAboveMaxRate: {
    code: 11,
    status: 'failedPrecondition',
    text: 'commission cannot be more than the max rate',
  },
  commissionUpdateTime: {
    code: 12,
    status: 'failedPrecondition',
    text: 'commission cannot be changed more than once in 24h',
  },
  changeRateNegative: { code: 13, status: 'failedPrecondition', text: 'commission change rate must be positive' },
  changeRateAboveMaxRate: {
    code: 14,
    status: 'failedPrecondition',
    text: 'commission change rate cannot be more than the max rate',
  },
  commissionAboveMaxChangeRate: {
    code: 15,
    status: 'failedPrecondition',
    text: 'commission cannot be changed more than max change rate',
  },
  selfDelegationBelowMinimum: {
    code: 16,
    status: 'failedPrecondition',
    text: "validator's self delegation must be greater than their minimum self delegation",
  },
  minSelfDelegationDecreased: {
    code: 17,
    status: 'failedPrecondition',
    text: 'minimum self delegation cannot be decrease',
  },
  invalidDelegation: { code: 18, status: 'failedPrecondition', text: 'empty delegator address' },
  noDelegation: { code: 19, status: 'failedPrecondition', text: 'no delegation for (address, validator) tuple' },
  noDelegator: { code: 20, status: 'failedPrecondition', text: 'delegator does not exist with address' },
  insufficientShares: { code: 22, status: 'failedPrecondition', text: 'insufficient delegation shares' },
  notEnoughShares: { code: 24, status: 'failedPrecondition', text: 'not enough delegation shares' },
  noUnbondingDelegation: { code: 26, status: 'failedPrecondition', text: 'no unbonding delegation found' },
  maxUnbondingEntries: {
    code: 27,
    status: 'failedPrecondition',
    text: 'too many unbonding delegation entries for (delegator, validator) tuple',
  },
  selfRedelegation: { code: 29, status: 'failedPrecondition', text: 'cannot redelegate to the same validator' },
  tinyRedelegation: {
    code: 30,
    status: 'failedPrecondition',
    text: 'too few tokens to redelegate (truncates to zero tokens)',
  },
  badRedelegationDestination: {
    code: 31,
    status: 'failedPrecondition',
    text: 'redelegation destination validator not found',
  },
  transitiveRedelegation: {
    code: 32,
    status: 'failedPrecondition',
    text: 'redelegation to this validator already in progress; first redelegation to this validator must complete before next redelegation',
  },
  maxRedelegationEntries: {
    code: 33,
    status: 'failedPrecondition',
    text: 'too many redelegation entries for (delegator, src-validator, dst-validator) tuple',
  },
  invalidExchangeRate: {
    code: 34,
    status: 'failedPrecondition',
    text: 'cannot delegate to validators with invalid (zero) ex-rate',
  },
  noHistoricalInfo: { code: 38, status: 'notFound', text: 'no historical info found' },
  emptyPublicKey: { code: 39, status: 'failedPrecondition', text: 'empty validator public key' },
  commissionBelowMinimum: {
    code: 40,
    status: 'failedPrecondition',
    text: 'commission cannot be less than min rate',
  },
})
