/** Distribution for other modules: reward allocation and the community pool. */
export { allocateToValidator } from './allocation.ts'
export { communityPool, fundCommunityPool } from './pool.ts'
export { distributionAccount } from './state.ts'
