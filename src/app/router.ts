/** Handlers of messages, and the facts about the modules that contexts contain. */
import type { DescMessage, Message } from '@bufbuild/protobuf'
import { messageType } from '../identity/registry.ts'
import { toKey } from '../primitives/bytes.ts'
import type { AppFacts, Context, HookListener, ReadContext } from '../sdk/context.ts'
import type { Module, Route } from '../sdk/module.ts'
import type { ModuleAccount } from '../sdk/module-account.ts'

export interface Router {
  readonly facts: AppFacts
  /** Returns the handler of a message by its neutral full name. */
  route(typeName: string): Route<Context> | undefined
  /** Runs the stateless checks of a message. */
  validate(ctx: ReadContext, schema: DescMessage, message: Message): void
}

/** Indexes the modules. */
export function createRouter(modules: readonly Module[]): Router {
  const routes = new Map<string, Route<Context>>()
  const checks = new Map<string, (ctx: ReadContext, message: Message) => void>()
  const hooks = new Map<string, HookListener[]>()
  const byAddress = new Map<string, ModuleAccount>()
  const versions = new Map(modules.map(({ name, version }) => [name, version]))
  for (const module of modules) {
    for (const { handlers } of module.messages) {
      for (const route of handlers.routes) routes.set(route.method.input.typeName, route)
    }
    for (const { schema, check } of module.validations) checks.set(schema.typeName, check)
    for (const listener of module.hooks) {
      hooks.set(listener.hook, [...(hooks.get(listener.hook) ?? []), listener])
    }
    for (const account of module.accounts) byAddress.set(toKey(account.address), account)
  }
  const moduleAccounts = [...byAddress.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  const validate: Router['validate'] = (ctx, schema, message) => checks.get(schema.typeName)?.(ctx, message)
  return {
    facts: {
      versionOf: (name) => versions.get(name),
      listeners: (hook) => hooks.get(hook) ?? [],
      moduleAccounts,
      moduleAccountAt: (address) => byAddress.get(toKey(address)),
      isBlocked: (address) => byAddress.get(toKey(address))?.blocked === true,
      message: messageType,
      isRouted: (name) => routes.has(name),
      handlerOf: (name) => routes.get(name),
      validate,
    },
    route: (typeName) => routes.get(typeName),
    validate,
  }
}
