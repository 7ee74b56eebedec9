/** Recorded requests, and the gateways of a node that answer them: REST, JSON-RPC and the engine's `abci_query`. */
import { createCometServer } from '../src/api/cometbft/server.ts'
import { createJsonRpcServer } from '../src/api/jsonrpc/server.ts'
import { createRestHandler } from '../src/api/rest/rest.ts'
import { createRouter } from '../src/api/rest/routes.ts'
import { services } from '../src/identity/registry.ts'
import { lowestOfCall, lowestOfPath, type Places } from './asked-heights.ts'
import type { LoadedNode } from './load.ts'
import type { RecordedAbciAnswer, RecordedAnswer, RecordedRpcAnswer, Recording } from './recording.ts'
import { type TraceQuestion, traceOfCall, traceOfPath } from './trace-questions.ts'
import { UNBUILT_MODULES } from './unbuilt.ts'

/** An answer, ours or recorded. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Question {
  /** `evm.Query/EthCall`, `eth_call`, or `no route`. */
  readonly operation: string
  /** Description for reports: path and height, or method and parameters. */
  readonly text: string
  /** The module that the answer depends on. */
  readonly module: string
  /** The requested height; undefined means the latest. */
  readonly height: number | undefined
  /** The lowest height whose state the answer is about; undefined if it names none. */
  readonly lowest: number | undefined
  /** Details of a request for a trace. */
  readonly trace: TraceQuestion | undefined
  readonly reference: Answer
  ask(): Promise<Answer>
}

export interface Gateways {
  /** Yields the recorded requests. Each can be repeated with `ask`. */
  questions(recording: Recording): AsyncGenerator<Question>
  close(): Promise<void>
}

const HOST = '127.0.0.1'
const NO_ROUTE = 'no route'
/** Operations whose answers contain data of other modules, with a module that they depend on. */
const MODULES_OF_ANSWERS: Readonly<Record<string, string>> = {
  'auth.Query/ModuleAccounts': 'transfer',
  'auth.Query/ModuleAccountByName': 'gov',
}
/** The module of all JSON-RPC methods. */
const RPC_MODULE = 'evm'

/** Returns operation and module of a method path: `/chain.evm.v1.Query/Balance` is `evm.Query/Balance` of `evm`. */
function operationOf(methodPath: string): { readonly operation: string; readonly module: string } {
  const [service = '', method = ''] = methodPath.slice(1).split('/')
  const parts = service.split('.').slice(1)
  const named = parts.filter((part) => !/^v\d/.test(part))
  const operation = `${named.join('.')}/${method}`
  return { operation, module: MODULES_OF_ANSWERS[operation] ?? named.slice(0, -1).at(-1) ?? '' }
}

/** Returns the module in a path without an operation, such as `authz` in `/cosmos/authz/v1beta1/grants`. */
function moduleOfPath(path: string): string {
  const [, family = '', module = ''] = path.split('/')
  return UNBUILT_MODULES.includes(family) ? family : module
}

/** The address of the Wasm precompile. */
const WASM_PRECOMPILE = /0000000000000000000000000000000000000802/i

/** Returns `wasm` if the arguments of a call contain the address of the Wasm precompile, else `otherwise`. */
function moduleOfCall(text: string, otherwise: string): string {
  const args = /[?&]args=([^&]*)/.exec(text)?.[1]
  const readable = args === undefined ? text : Buffer.from(decodeURIComponent(args), 'base64').toString('utf8')
  return WASM_PRECOMPILE.test(readable) ? 'wasm' : otherwise
}

/** Opens the node's gateways on free ports. `places` are those of the recording. */
export async function openGateways({ node, nodeInfo, identity }: LoadedNode, places: Places): Promise<Gateways> {
  const rest = createRestHandler(node, { cacheBytes: 0 })
  const router = createRouter(
    identity,
    services.flatMap(({ methods }) => methods),
  )
  const jsonRpc = createJsonRpcServer(node)
  const comet = createCometServer({ node, nodeInfo })
  const rpcUrl = `http://${HOST}:${(await jsonRpc.listen(0, HOST)).port}`
  const cometUrl = `http://${HOST}:${(await comet.listen(0, HOST)).port}`

  async function post(url: string, request: unknown): Promise<Answer> {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
    })
    return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() }
  }

  function restQuestion({ height, header, path, status, headers = {}, body }: RecordedAnswer): Question {
    const route = router.match(path.split('?')[0]!)?.routes[0]
    const { operation, module } = route
      ? operationOf(route.method)
      : { operation: NO_ROUTE, module: moduleOfPath(path) }
    return {
      operation,
      module: moduleOfCall(path, module),
      text: `GET ${path}${header === undefined ? '' : ` at ${header}`}`,
      height: header === undefined ? undefined : (height ?? undefined),
      lowest: lowestOfPath({ path, ...(header !== undefined && { header }) }, places),
      trace: traceOfPath(node.blocks, path),
      reference: { status, headers, body },
      ask: () => rest(path, header === undefined ? {} : { headers: { 'x-cosmos-block-height': header } }),
    }
  }

  function rpcQuestion({ request, status, body }: RecordedRpcAnswer): Question {
    return {
      operation: Array.isArray(request) ? 'batch' : request.method,
      module: moduleOfCall(JSON.stringify(request), RPC_MODULE),
      text: Array.isArray(request) ? JSON.stringify(request) : `${request.method} ${JSON.stringify(request.params)}`,
      height: undefined,
      lowest: lowestOfCall(request, places),
      trace: traceOfCall(node.blocks, request),
      reference: { status, headers: {}, body },
      ask: () => post(rpcUrl, request),
    }
  }

  function abciQuestion({
    height,
    path,
    request,
    data,
    code,
    log,
    value,
    answeredHeight,
  }: RecordedAbciAnswer): Question {
    const { operation, module } = operationOf(
      `/${identity.toNeutralName(path.slice(1).split('/')[0]!)}/${path.split('/').at(-1)}`,
    )
    const response = { code, log, value: Buffer.from(value, 'hex').toString('base64'), height: String(answeredHeight) }
    return {
      operation: `abci ${operation}`,
      module,
      text: `abci_query ${path} ${JSON.stringify(request)} at ${height}`,
      height,
      lowest: height,
      trace: undefined,
      reference: { status: 200, headers: {}, body: JSON.stringify(response) },
      async ask() {
        const params = { path, data, height: String(height), prove: false }
        const answer = await post(cometUrl, { jsonrpc: '2.0', id: 1, method: 'abci_query', params })
        return { ...answer, body: responseOf(answer.body) }
      },
    }
  }

  return {
    async *questions(recording) {
      if (recording.has('answers')) for await (const answer of recording.answers()) yield restQuestion(answer)
      if (recording.has('jsonrpc')) for await (const answer of recording.jsonRpc()) yield rpcQuestion(answer)
      if (recording.has('abci')) for await (const answer of recording.abci()) yield abciQuestion(answer)
    },
    async close() {
      await Promise.all([jsonRpc.close(), comet.close()])
    },
  }
}

interface AbciBody {
  readonly result?: { readonly response?: Readonly<Record<string, unknown>> }
}

/** Returns the members of an `abci_query` answer that recordings contain. */
function responseOf(body: string): string {
  const response = (JSON.parse(body) as AbciBody).result?.response
  if (!response) return body
  const { code = 0, log = '', value, height } = response
  return JSON.stringify({ code, log, value: value ?? '', height })
}
