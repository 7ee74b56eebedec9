/** The JSON-RPC methods that an API worker forwards to the main process. */
import { localMethods, type Method, type Methods } from './method.ts'
import { chainMethods, optionalMethods } from './methods.ts'

/** Requests the result of a method from the main process. Rejects with -32601 for a method that it does not serve. */
type Ask = (method: string, params: unknown, signal: AbortSignal) => Promise<unknown>

/** Returns every method that only the main process serves, as a request to it. */
export function forwardedMethods(ask: Ask): Methods {
  const forward = (name: string): Method => ({
    servedBy: 'any',
    run: ({ signal }, params) => ask(name, params, signal()),
  })
  const forwarded = (methods: Methods): Methods =>
    Object.fromEntries(
      Object.entries(methods).flatMap(([name, { servedBy }]) => (servedBy === 'main' ? [[name, forward(name)]] : [])),
    )
  return { ...forwarded(chainMethods), ...localMethods(forwarded(optionalMethods.development)) }
}
