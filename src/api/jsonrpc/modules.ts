/** `rpc_modules`: the namespaces that a node answers, which consoles ask for before anything else. */
import { type Methods, method } from './method.ts'

/** The method over the names of all others. */
export function moduleMethods(others: Methods): Methods {
  const namespaces = [...Object.keys(others), 'rpc_modules'].map((name) => name.slice(0, name.indexOf('_')))
  const modules = Object.fromEntries([...new Set(namespaces)].sort().map((name) => [name, '1.0']))
  return { rpc_modules: method([], () => modules) }
}
