/** JSON-RPC over HTTP, as a client sends it. */

/** A node with a JSON-RPC URL: in this process, or the printed configuration of another process. */
interface Endpoint {
  readonly urls: { readonly jsonrpc: string }
}

export interface RpcAnswer<Result = unknown> {
  readonly result?: Result
  readonly error?: { readonly code: number; readonly message: string }
}

/** Sends one call. Resolves with the unread response. */
export function post(
  { urls }: Endpoint,
  method: string,
  params: readonly unknown[] = [],
  signal?: AbortSignal,
): Promise<Response> {
  return fetch(urls.jsonrpc, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    ...(signal && { signal }),
  })
}

/** Sends one call. Resolves with its result or error. */
export async function ask<Result>(...call: Parameters<typeof post>): Promise<RpcAnswer<Result>> {
  return (await (await post(...call)).json()) as RpcAnswer<Result>
}

/** Sends one call. Resolves with its result; throws with method and message if the answer is an error. */
export async function rpc<Result>(...call: Parameters<typeof post>): Promise<Result> {
  const { result, error } = await ask<Result>(...call)
  if (error) throw new Error(`${call[1]}: ${error.message}`)
  return result as Result
}
