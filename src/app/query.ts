/** The table of queries: every method of every module's Query services. */
import type { Message } from '@bufbuild/protobuf'
import { queryError } from '../primitives/errors.ts'
import type { ReadContext } from '../sdk/context.ts'
import type { Module, QueryHandlers } from '../sdk/module.ts'
import { editionOf } from './upgrades/versions.ts'

type Handler = (ctx: ReadContext, request: Message) => Message

/** Handlers by neutral method path, `/chain.evm.v1.Query/Balance`. */
export type QueryTable = ReadonlyMap<string, Handler>

function tableOf({ queries }: Pick<Module, 'queries'>): QueryTable {
  const table = new Map<string, Handler>()
  for (const { handlers } of queries) {
    for (const { method, handle } of handlers.routes) table.set(`/${handlers.service.typeName}/${method.name}`, handle)
  }
  return table
}

/**
 * Builds the table. For `changing` modules, whose version differs between states, the state at hand selects the handler.
 * `foreign` answers from the stores of modules that this build does not have.
 */
export function createQueryTable(
  modules: readonly Module[],
  changing: readonly string[] = [],
  foreign: readonly QueryHandlers[] = [],
): QueryTable {
  const table = new Map<string, Handler>(tableOf({ queries: foreign }))
  for (const module of modules) {
    const queries = changing.includes(module.name) ? tableByVersion(module) : tableOf(module)
    for (const [path, handle] of queries) table.set(path, handle)
  }
  return table
}

/** Returns handlers that read the module's version from the state and call the handler of that edition. */
function tableByVersion(module: Module): QueryTable {
  const tables = new Map<number, QueryTable>()
  const tableAt = (version: number): QueryTable => {
    const known = tables.get(version)
    if (known) return known
    const table = tableOf(editionOf(module, version))
    tables.set(version, table)
    return table
  }
  const paths = new Set([...module.editions, module].flatMap((edition) => [...tableOf(edition).keys()]))
  const dispatch =
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
  return new Map([...paths].map((path) => [path, dispatch(path)]))
}
