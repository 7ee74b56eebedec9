/** The namespaces of JSON-RPC methods: which of them a transport serves, and `rpc_modules`, which consoles request first. */
import { queryError } from '../../primitives/errors.ts'
import { ethereumDocument } from '../openrpc/ethereum.ts'
import { methodNotServed } from './errors.ts'
import { anyMethod, type Methods } from './method.ts'

/** The namespace of `rpc_modules`, which every transport serves. */
const RPC = 'rpc'
/** Returns an OpenRPC document, by the name that its specification reserves. */
export const DISCOVER = 'rpc.discover'
/** Stands for all namespaces in a list of them. */
const ALL = '*'

const namespaceOf = (name: string): string => name.slice(0, name.search(/[_.]/))

const namespacesOf = (methods: Methods): readonly string[] =>
  [...new Set([...Object.keys(methods).map(namespaceOf), RPC])].sort()

/** Returns the methods that describe a connection, from the names of all others. */
export function moduleMethods(others: Methods): Methods {
  const modules = Object.fromEntries(namespacesOf(others).map((name) => [name, '1.0']))
  return {
    rpc_modules: anyMethod([], () => modules),
    [DISCOVER]: anyMethod([], ({ node }) =>
      ethereumDocument([...Object.keys(others), 'rpc_modules', DISCOVER], node.settings.version),
    ),
  }
}

/**
 * Returns the methods that a transport serves. Each other method answers -32601 with the flag that leaves it out.
 * `namespaces` are those of the flag; `*` is all of them. Throws `invalidArgument` for a name that is not in `known`.
 */
export function servedMethods(
  methods: Methods,
  {
    namespaces,
    flag,
    known,
  }: { readonly namespaces: readonly string[]; readonly flag: string; readonly known: Methods },
): Methods {
  const named = new Set(namespaces.map((name) => name.trim()))
  if (named.has(ALL)) return methods
  const all = namespacesOf(known)
  for (const name of named) {
    if (all.includes(name)) continue
    throw queryError(
      'invalidArgument',
      `${flag}: "${name}" is not a namespace of JSON-RPC: ${all.join(', ')}, or * for all`,
    )
  }
  const isServed = (name: string): boolean => named.has(namespaceOf(name)) || namespaceOf(name) === RPC
  const served = Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [
      name,
      isServed(name)
        ? method
        : {
            servedBy: method.servedBy,
            run() {
              throw methodNotServed(name, flag)
            },
          },
    ]),
  )
  return { ...served, ...moduleMethods(Object.fromEntries(Object.entries(methods).filter(([name]) => isServed(name)))) }
}
