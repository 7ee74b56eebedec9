/** The RPC of an engine over HTTP. */
import type { Broadcast, EngineCalls, EngineRpc } from '../../consensus/cometbft/engine-rpc.ts'
import { formatBase64 } from '../../primitives/bytes.ts'
import { queryError, type Status } from '../../primitives/errors.ts'
import type { Config } from '../settings.ts'

interface RpcAnswer {
  readonly result?: unknown
  readonly error?: { readonly code?: number; readonly message?: string; readonly data?: string }
}

/** Time in which an engine answers. Beyond: the request fails as unavailable. */
const TIMEOUT_MS = 10_000

/** Statuses of the codes of JSON-RPC; any other is a failure of the method. */
const STATUSES: Readonly<Record<number, Status>> = {
  [-32601]: 'unimplemented',
  [-32602]: 'invalidArgument',
}

/** Asks the engine of a node; undefined for a node that decides its blocks itself. */
export function engineRpcOf({ consensus }: Config): EngineCalls | undefined {
  return consensus.engine === 'cometbft' ? createHttpRpc(consensus.rpc) : undefined
}

/** Asks an engine at `http://HOST:PORT`. */
export function createHttpRpc(url: string): EngineRpc & EngineCalls {
  async function post(body: unknown, signal?: AbortSignal): Promise<unknown> {
    const timeout = AbortSignal.timeout(TIMEOUT_MS)
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      })
      return await answer.json()
    } catch (error) {
      throw queryError('unavailable', `the engine at ${url} does not answer: ${reasonOf(error)}`)
    }
  }

  async function call(method: string, params: Readonly<Record<string, unknown>>, signal?: AbortSignal) {
    const { result, error } = (await post({ jsonrpc: '2.0', id: 0, method, params }, signal)) as RpcAnswer
    if (error) throw queryError(STATUSES[error.code ?? 0] ?? 'unknown', error.data || error.message || 'refused')
    return (result ?? {}) as Record<string, unknown>
  }

  return {
    call,
    async broadcast(txs) {
      const calls = txs.map((tx, id) => ({
        jsonrpc: '2.0',
        id,
        method: 'broadcast_tx_sync',
        params: { tx: formatBase64(tx) },
      }))
      const found = await post(calls)
      // CometBFT answers a batch of one without a list.
      const answers = (Array.isArray(found) ? found : [found]) as RpcAnswer[]
      return answers.map(({ result, error }) => {
        if (error) return { error: error.data || error.message || 'refused' }
        const { code = 0, codespace = '', log = '' } = result as Partial<Broadcast>
        return { code, codespace, log }
      })
    },
    async isCatchingUp() {
      const { sync_info: info } = (await call('status', {})) as {
        readonly sync_info?: { readonly catching_up?: boolean }
      }
      return info?.catching_up === true
    },
  }
}

/** Returns the reason of a failed request: `fetch` itself says only that it failed. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error && cause.message !== '' ? cause.message : message
}
