/** What other modules ask of distribution. */
export { allocateToValidator } from './allocation.ts'
export { communityPool, fundCommunityPool } from './pool.ts'
export { distributionAccount } from './state.ts'
