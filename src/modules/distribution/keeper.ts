/** What other modules ask of distribution. */
export { allocateToValidator } from './allocation.ts'
export { params } from './params.ts'
export { addToPool, communityPool, fundCommunityPool, spendCommunityPool } from './pool.ts'
export { outstandingRewards, payCommission, withdrawAddress } from './rewards.ts'
export { distributionAccount } from './state.ts'
export { withdrawRewards } from './withdraw.ts'
