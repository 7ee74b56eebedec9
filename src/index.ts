/** The package `almanac`: a chain node as a library. */
export type { DevAccount } from './node/accounts.ts'
export type { LogRecord, NodeLogs } from './node/log-records.ts'
export { type Provider, type ProviderEvents, ProviderRpcError, type RequestArguments } from './node/provider.ts'
export { type Node, type NodeConfig, startNode, testNode, type World } from './node/start.ts'
export { ChainError, type Status } from './primitives/errors.ts'
