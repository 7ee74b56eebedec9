/** The JSON-RPC methods that an API worker forwards to the main process. */
import { localMethods, type Method, type Methods } from './method.ts'
import { chainMethods, optionalMethods } from './methods.ts'
import { streamed } from './streamed.ts'

/** Requests the result of a method, as JSON, from the main process. Rejects with -32601 for a method that it does not serve. */
type Ask = (method: string, params: unknown, signal: AbortSignal, client: string) => Promise<string>

/** Length from which a result is sent in parts, as it came. */
const LONG = 16_384
const PART_BYTES = 64 * 1024

/** Returns JSON as the result of a method. */
function resultOf(json: string): unknown {
  if (json.length < LONG) return JSON.parse(json)
  return streamed(async (onPart) => {
    const bytes = Buffer.from(json)
    for (let at = 0; at < bytes.length; at += PART_BYTES) {
      await new Promise<void>((done) => onPart(bytes.subarray(at, at + PART_BYTES), done))
    }
  })
}

/** Whether a parameter names the block `pending`, as a text or in an object (EIP-1898). */
function namesPending(params: unknown): boolean {
  const isPending = (value: unknown): boolean =>
    value === 'pending' || (value as { blockNumber?: unknown } | null)?.blockNumber === 'pending'
  return Array.isArray(params) && params.some(isPending)
}

/** Returns every method that only the main process serves, as a request to it; those of a development chain if it is one. */
export function forwardedMethods(ask: Ask, isDevelopment: boolean): Methods {
  const forward = (name: string, { run, needsPool, atPending }: Method): Method => ({
    servedBy: 'any',
    run(call, params) {
      const forwardedCall = () => ask(name, params, call.signal(), call.client).then(resultOf)
      if (atPending && !namesPending(params)) return run(call, params)
      if (needsPool) {
        const result = run(call, params)
        const decide = (known: unknown): unknown => (needsPool(known, params) ? forwardedCall() : known)
        return result instanceof Promise ? result.then(decide) : decide(result)
      }
      return forwardedCall()
    },
  })
  const forwarded = (methods: Methods): Methods =>
    Object.fromEntries(
      Object.entries(methods).flatMap(([name, method]) =>
        method.servedBy === 'main' || method.atPending ? [[name, forward(name, method)]] : [],
      ),
    )
  return {
    ...forwarded(chainMethods),
    ...(isDevelopment && localMethods(forwarded(optionalMethods.development))),
  }
}
