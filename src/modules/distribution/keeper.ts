/** What other modules ask of distribution. */
export { allocateToValidator } from './allocation.ts'
export { addToPool, communityPool, fundCommunityPool } from './pool.ts'
export { distributionAccount } from './state.ts'
