/** The RPC of an engine, as far as this node asks it. */

/** The answer to a broadcast. */
export interface Broadcast {
  readonly code: number
  readonly codespace: string
  readonly log: string
}

/** The questions of clients that a node passes on to its engine. */
export interface EngineCalls {
  /**
   * Calls a method with arguments by name, in the JSON of the RPC. Resolves with its result. Rejects with `unavailable` if the
   * engine does not answer, and with the engine's text if the method fails.
   */
  call(
    method: string,
    params: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<Record<string, unknown>>
}

export interface EngineRpc {
  /** Hands transactions over in order, each before the next. Rejects with `unavailable` if the engine does not answer. */
  broadcast(txs: readonly Uint8Array[]): Promise<readonly (Broadcast | { readonly error: string })[]>
  /** Whether the engine fetches blocks of the past. */
  isCatchingUp(): Promise<boolean>
}
