/** The package `almanac`: a chain node as a library. */
export type { DevAccount } from './node/accounts.ts'
export { type Node, type NodeConfig, startNode, testNode, type World } from './node/start.ts'
export { ChainError, type Status } from './primitives/errors.ts'
