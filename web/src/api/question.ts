/** Questions to the public API: what every number of the console was asked by, so that it can be asked again elsewhere. */

export type Question =
  | { readonly kind: 'rest'; readonly path: string }
  | { readonly kind: 'eth'; readonly method: string; readonly params: readonly unknown[] }
  | { readonly kind: 'engine'; readonly method: string; readonly params: Readonly<Record<string, unknown>> }

/** Returns a question to REST. The path has neutral names and starts with a slash: `/sdk/bank/v1beta1/supply`. */
export const rest = (path: string): Question => ({ kind: 'rest', path })

/** Returns a question to Ethereum JSON-RPC. Parameters that name a block are part of it. */
export const eth = (method: string, ...params: readonly unknown[]): Question => ({ kind: 'eth', method, params })

/** Returns a question to the RPC of the engine. */
export const engine = (method: string, params: Readonly<Record<string, unknown>> = {}): Question => ({
  kind: 'engine',
  method,
  params,
})
