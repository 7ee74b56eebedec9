/** Pages of the REST port beside the operations: an index, the description of the API, and pages of the node. */

import type { GatewayNode } from '../gateway.ts'
import { servedDocument } from '../openrpc/served.ts'
import { createPayload, type Payload } from '../transport/http.ts'
import { apiText } from './api-text.ts'
import { describeApi } from './openapi.ts'
import type { Router } from './routes.ts'

interface Page {
  readonly status: number
  readonly payload: Payload
}

/** Returns the page of a path; undefined if there is no page. */
export type Pages = (path: string) => Page | undefined

/** Returns a further page of the node, as JSON text. */
export type ExtraPage = (path: string) => { readonly status: number; readonly body: string } | undefined

const NO_STORE = ['Cache-Control', 'no-store']
const NO_CACHE = ['Cache-Control', 'no-cache']

function page(status: number, type: string, text: string, headers: readonly string[]): Page {
  return { status, payload: createPayload(text, ['Content-Type', type, ...headers]) }
}

function json(value: unknown, headers: readonly string[]): Page {
  return page(200, 'application/json', JSON.stringify(value), headers)
}

function redirect(location: string): Page {
  return { status: 308, payload: createPayload('', ['Location', location]) }
}

export function createPages(node: GatewayNode, router: Router, extra: ExtraPage = () => undefined): Pages {
  let description: Page | undefined
  let methods: Page | undefined
  let list: Page | undefined

  const describeAll = () => describeApi(node.identity, router.routes, node.settings.version)

  function index(): Page {
    return json(
      {
        chain_id: node.chainId,
        evm_chain_id: node.evmChainId.toString(),
        latest_height: node.blocks.latestHeight().toString(),
        version: node.settings.version,
        openapi: '/openapi.json',
        openrpc: '/openrpc.json',
        docs: '/docs',
      },
      NO_STORE,
    )
  }

  function extraPage(path: string): Page | undefined {
    const found = extra(path)
    return found && page(found.status, 'application/json', found.body, NO_STORE)
  }

  return (path) => {
    switch (path) {
      case '/':
        return index()
      case '/openapi.json':
        description ??= json(describeAll(), NO_CACHE)
        return description
      case '/openrpc.json':
        methods ??= json(servedDocument(node), NO_CACHE)
        return methods
      case '/docs':
        list ??= page(200, 'text/markdown; charset=utf-8', apiText(describeAll()), NO_CACHE)
        return list
      case '/swagger':
        return redirect('docs')
      case '/swagger/':
        return redirect('../docs')
      default:
        return extraPage(path)
    }
  }
}
