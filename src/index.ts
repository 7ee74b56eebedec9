/** The package `almanac`: a chain node in a program. */
export type { DevAccount } from './node/accounts.ts'
export { type Node, type NodeConfig, startNode, testNode, type World } from './node/start.ts'
