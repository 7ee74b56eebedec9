/** JSON-RPC over HTTP, as any client speaks it. */

/** Whoever says where its JSON-RPC is: a node in this process, or what one in its own has told. */
interface Endpoint {
  readonly urls: { readonly jsonrpc: string }
}

export interface RpcAnswer<Result = unknown> {
  readonly result?: Result
  readonly error?: { readonly code: number; readonly message: string }
}

/** Sends one call, and leaves the answer to be read. */
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

/** One call and what it answers, a result or an error. */
export async function ask<Result>(...call: Parameters<typeof post>): Promise<RpcAnswer<Result>> {
  return (await (await post(...call)).json()) as RpcAnswer<Result>
}

/** The result of one call. Throws the name of the method and the message where it answers an error. */
export async function rpc<Result>(...call: Parameters<typeof post>): Promise<Result> {
  const { result, error } = await ask<Result>(...call)
  if (error) throw new Error(`${call[1]}: ${error.message}`)
  return result as Result
}
