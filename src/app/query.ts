/** The table of queries: every method of every module's Query services. */
import type { Message } from '@bufbuild/protobuf'
import { queryError } from '../primitives/errors.ts'
import type { ReadContext } from '../sdk/context.ts'
import type { Module } from '../sdk/module.ts'
import { editionOf } from './upgrades/versions.ts'

type Handler = (ctx: ReadContext, request: Message) => Message

/** By neutral method path, `/chain.evm.v1.Query/Balance`: a handler from the request message to the response. */
export type QueryTable = ReadonlyMap<string, Handler>

function tableOf({ queries }: Module): QueryTable {
  const table = new Map<string, Handler>()
  for (const { handlers } of queries) {
    for (const { method, handle } of handlers.routes) table.set(`/${handlers.service.typeName}/${method.name}`, handle)
  }
  return table
}

/** `changing` are the modules that not every state of the chain has, or has at the same version: the state at hand decides. */
export function createQueryTable(modules: readonly Module[], changing: readonly string[] = []): QueryTable {
  const table = new Map<string, Handler>()
  for (const module of modules) {
    const queries = changing.includes(module.name) ? followingTable(module) : tableOf(module)
    for (const [path, handle] of queries) table.set(path, handle)
  }
  return table
}

/** Handlers of every edition of a module, each of which asks the state which edition is meant. */
function followingTable(module: Module): QueryTable {
  const tables = new Map<number, QueryTable>()
  const tableAt = (version: number): QueryTable => {
    const known = tables.get(version)
    if (known) return known
    const table = tableOf(editionOf(module, version))
    tables.set(version, table)
    return table
  }
  const paths = new Set([...module.editions, module].flatMap((edition) => [...tableOf(edition).keys()]))
  const follow =
    (path: string): Handler =>
    (ctx, request) => {
      const version = ctx.app.versionOf(module.name)
      if (version === undefined) {
        throw queryError(
          'unimplemented',
          `module ${module.name} is not part of the chain at height ${ctx.block.height}`,
        )
      }
      const handle = tableAt(version).get(path)
      if (handle) return handle(ctx, request)
      const has = `module ${module.name} is at version ${version}`
      throw queryError('unimplemented', `${path} is not part of the chain at height ${ctx.block.height}: ${has}`)
    }
  return new Map([...paths].map((path) => [path, follow(path)]))
}
