/** The table of queries: every method of every module's Query services. */
import type { Message } from '@bufbuild/protobuf'
import type { ReadContext } from '../sdk/context.ts'
import type { Module } from '../sdk/module.ts'

/** By neutral method path, `/chain.evm.v1.Query/Balance`: a handler from the request message to the response. */
export type QueryTable = ReadonlyMap<string, (ctx: ReadContext, request: Message) => Message>

export function createQueryTable(modules: readonly Module[]): QueryTable {
  const table = new Map<string, (ctx: ReadContext, request: Message) => Message>()
  for (const { queries } of modules) {
    for (const { handlers } of queries) {
      for (const { method, handle } of handlers.routes)
        table.set(`/${handlers.service.typeName}/${method.name}`, handle)
    }
  }
  return table
}
