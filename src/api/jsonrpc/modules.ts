/** `rpc_modules`: the namespaces of a node. Consoles request them first. */
import { anyMethod, type Methods } from './method.ts'

/** Returns the method, from the names of all others. */
export function moduleMethods(others: Methods): Methods {
  const namespaces = [...Object.keys(others), 'rpc_modules'].map((name) => name.slice(0, name.indexOf('_')))
  const modules = Object.fromEntries([...new Set(namespaces)].sort().map((name) => [name, '1.0']))
  return { rpc_modules: anyMethod([], () => modules) }
}
