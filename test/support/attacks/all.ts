/** Every attack by name. Each has a short test in `test/attacks/`; `test/long/attacks.test.ts` runs all at once. */
import * as connections from './connections.ts'
import * as execution from './execution.ts'
import * as logs from './logs.ts'
import { claimedBlocks, gappedTransactions, replacements } from './pool.ts'
import { longIds, manyFilters, manyHeads } from './subscriptions.ts'
import type { Attack } from './target.ts'

export const ATTACKS = {
  unreadHttp: connections.unreadHttp,
  pipelined: connections.pipelined,
  unreadWebSocket: connections.unreadWebSocket,
  unreadEvents: connections.unreadEvents,
  unreadGrpc: connections.unreadGrpc,
  manyFields: connections.manyFields,
  slowBodies: connections.slowBodies,
  halfOpen: connections.halfOpen,
  abortedPosts: connections.abortedPosts,
  foreignPages: connections.foreignPages,
  checkUnsigned: execution.checkUnsigned,
  checkLoops: execution.checkLoops,
  simulateLoops: execution.simulateLoops,
  endlessCalls: execution.endlessCalls,
  rawBatches: execution.rawBatches,
  greedyTracers: execution.greedyTracers,
  printingCalls: execution.printingCalls,
  longIds,
  manyHeads,
  manyFilters,
  gappedTransactions,
  replacements,
  claimedBlocks,
  manyLogs: logs.manyLogs,
  heavyBlocks: logs.heavyBlocks,
  searches: logs.searches,
} satisfies Readonly<Record<string, Attack>>

export type AttackName = keyof typeof ATTACKS

/** Attacks by process. Preparations that need the pool are first, before it is full. */
export const GROUPS: readonly (readonly AttackName[])[] = [
  ['checkUnsigned', 'checkLoops', 'simulateLoops', 'endlessCalls', 'rawBatches', 'greedyTracers', 'printingCalls'],
  ['gappedTransactions', 'replacements', 'claimedBlocks', 'manyLogs', 'heavyBlocks', 'searches'],
  ['unreadHttp', 'pipelined', 'unreadWebSocket', 'unreadEvents', 'unreadGrpc'],
  ['slowBodies', 'halfOpen', 'abortedPosts', 'manyFields', 'foreignPages', 'longIds', 'manyHeads', 'manyFilters'],
]
