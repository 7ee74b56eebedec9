/** The context for module tests, on an in-memory store with the default identity. */
import { almanac } from '../identity/profiles/almanac.ts'
import type { Identity } from '../identity/types.ts'
import { toKey } from '../primitives/bytes.ts'
import { createEmptyBranch } from '../store/branch.ts'
import type { AppFacts, BlockInfo, BranchedContext } from './context.ts'
import { createContext, createTransient } from './create-context.ts'
import { knownTypes } from './known-types.ts'
import type { Module } from './module.ts'

export interface TestOptions {
  readonly identity?: Identity
  readonly block?: Partial<BlockInfo>
  /** Modules whose accounts, hooks and messages `ctx.app` provides. */
  readonly modules?: readonly Module[]
  /** Facts that replace the default ones. */
  readonly app?: Partial<AppFacts>
}

/** Returns a context on empty state at height 1 of chain `almanac-localnet-1`, time 2024-01-01T00:00:00Z. */
export function testContext({ identity = almanac, block, modules = [], app }: TestOptions = {}): BranchedContext {
  const accounts = modules.flatMap((module) => module.accounts)
  const byAddress = new Map(accounts.map((account) => [toKey(account.address), account]))
  const routes = new Map(
    modules.flatMap((module) =>
      module.messages.flatMap(({ handlers }) =>
        handlers.routes.map((route) => [route.method.input.typeName, route] as const),
      ),
    ),
  )
  const checks = new Map(
    modules.flatMap(({ validations }) => validations.map(({ schema, check }) => [schema.typeName, check] as const)),
  )
  return createContext({
    branch: createEmptyBranch(),
    transient: createTransient(),
    identity,
    block: {
      height: 1n,
      timeNs: 1_704_067_200_000_000_000n,
      chainId: 'almanac-localnet-1',
      evmChainId: 6930n,
      proposer: new Uint8Array(0),
      hash: new Uint8Array(0),
      lastCommitHash: new Uint8Array(0),
      gasLimit: 0n,
      votes: [],
      ...block,
    },
    app: {
      versionOf: (name) => modules.find((module) => module.name === name)?.version,
      listeners: (hook) => modules.flatMap((module) => module.hooks.filter((listener) => listener.hook === hook)),
      moduleAccounts: accounts,
      moduleAccountAt: (address) => byAddress.get(toKey(address)),
      isBlocked: (address) => byAddress.get(toKey(address))?.blocked === true,
      message: (name) => routes.get(name)?.method.input ?? knownTypes.get(name),
      isRouted: (name) => routes.has(name),
      handlerOf: (name) => routes.get(name),
      validate: (ctx, schema, message) => checks.get(schema.typeName)?.(ctx, message),
      ...app,
    },
  })
}
